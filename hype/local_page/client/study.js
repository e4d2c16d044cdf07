/** One study: its settings as a form, and a button for each command that it needs. */
import { make } from '../../web/client/elements.js';
import { asked, calm, draw, follow, found, sent, tell, Wrong } from './shared.js';
import { changeOf, control } from './form.js';

/**
 * @typedef {import('./form.js').Group} Group
 * @typedef {import('./form.js').Control} Control
 * @typedef {import('./shared.js').Program} Program
 * @typedef {{ file: string, seen: string, groups: Group[], mistakes: [string[], string][],
 *   people: number }} Form
 */

const at = new URLSearchParams(location.search).get('at') ?? '.';
const query = new URLSearchParams({ at });
/** @type {Control[]} */
let controls = [];
let seen = '';

/** @param {Form} form */
function show(form) {
  seen = form.seen;
  const opened = new Set(['study']);
  for (const one of document.querySelectorAll('#groups details[open]')) {
    opened.add(/** @type {HTMLElement} */ (one).dataset['table'] ?? '');
  }
  controls = [];
  found('groups').replaceChildren(
    ...form.groups.map((group) => drawn(group, form.people > 0, opened)),
  );
  const name = form.groups.flatMap(({ fields }) => fields)
    .find(({ place }) => place.join('.') === 'study.name');
  found('name').textContent = name?.held || at;
  document.title = `hype: ${name?.held || at}`;
  found('file').textContent = form.file;
  found('people').textContent = form.people > 0
    ? `${form.people} ${form.people === 1 ? 'person has' : 'people have'} begun. What they were ` +
      'given is fixed: to change it on purpose, edit the file, and hype run --new-version begins ' +
      'another version, which is scored by itself.'
    : '';
  mark(form.mistakes);
  count();
}

/**
 * @param {Group} group
 * @param {boolean} begun
 * @param {Set<string>} opened
 */
function drawn(group, begun, opened) {
  const { place, about, fields } = group;
  if (place.at(-1) === '') return beginning(group, begun);
  const table = place.join('.');
  const own = fields.map((field) => control(field, begun && field.bears));
  controls.push(...own);
  const set = fields.filter(({ held }) => held !== null).length;
  const summary = make(
    'summary',
    {},
    make('h3', {}, table),
    make('span', {}, set ? `${set} set` : ''),
  );
  const inner = make(
    'div',
    {},
    make('p', { className: 'about' }, about),
    make('div', { className: 'fields' }, ...own.map(({ element }) => element)),
  );
  const details = make('details', { open: opened.has(table) }, summary, inner);
  details.dataset['table'] = table;
  return details;
}

/**
 * Offer a name for a table of its own, such as a question, whose settings are then drawn.
 * @param {Group} group
 * @param {boolean} begun
 */
function beginning(group, begun) {
  const { place, about, fields } = group;
  const above = place.slice(0, -1);
  const table = above.join('.');
  const id = `begin-${above.join('-')}`;
  const disabled = begun && fields[0]?.bears;
  const input = make('input', { id, spellcheck: false, placeholder: 'its name', disabled });
  const button = make('button', { type: 'button', disabled }, 'Begin');
  const row = make(
    'div',
    { className: 'begin' },
    make('label', { htmlFor: id }, 'New ', make('code', {}, table)),
    input,
    button,
    make('span', { className: 'about' }, about.split('. ')[0]),
  );
  const begin = () => {
    const named = [...above, input.value.trim()];
    const name = named.join('.');
    if (named.at(-1) === '' || document.querySelector(`[data-table="${CSS.escape(name)}"]`)) return;
    const own = fields.map((field) => ({ ...field, place: [...named, field.place.at(-1) ?? ''] }));
    row.before(drawn({ ...group, place: named, fields: own }, begun, new Set([name])));
    input.value = '';
  };
  button.addEventListener('click', begin);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    begin();
  });
  return row;
}

/**
 * Show each mistake at its setting, and those of none above all.
 * @param {[string[], string][]} mistakes
 */
function mark(mistakes) {
  for (const one of controls) one.mistake.textContent = '';
  const others = [];
  let first = null;
  for (const [place, text] of mistakes) {
    const one = controls.find(({ field }) => field.place.join('\n') === place.join('\n'));
    if (!one) {
      others.push(text);
      continue;
    }
    one.mistake.textContent = text;
    /** @type {HTMLDetailsElement} */ (one.element.closest('details')).open = true;
    first ??= one;
  }
  found('mistakes').textContent = others.join('\n');
  first?.element.scrollIntoView({ block: 'center' });
  /** @type {HTMLElement | null | undefined} */
  (first?.element.querySelector('input, select, textarea'))?.focus({ preventScroll: true });
}

const changes = () => controls.filter(({ read, first }) => read() !== first);

function count() {
  const some = new Set(changes());
  for (const one of controls) one.element.classList.toggle('changed', some.has(one));
  found('bar').hidden = some.size === 0;
  found('count').textContent = `${some.size} ${some.size === 1 ? 'change' : 'changes'}`;
}

async function save() {
  try {
    const form = await sent(`/api/form?${query}`, { seen, changes: changes().map(changeOf) });
    show(form);
    found('news').className = 'good';
    found('news').textContent = 'Saved.';
  } catch (error) {
    if (error instanceof Wrong && error.mistakes.length > 0) mark(error.mistakes);
    else throw error;
  }
}

/** @type {Record<string, (program: Program) => (Node | string)[]>} */
const ENDED = {
  check({ result }) {
    if (!result) return [];
    const some = result.findings.map((/** @type {import('./shared.js').Finding} */ one) =>
      make(
        'li',
        { className: one.severity },
        make('p', {}, make('strong', {}, `${one.severity}: `), one.message),
        make('p', { className: 'about' }, one.remedy),
      )
    );
    const good = make(
      'p',
      { className: result.ok ? 'good' : 'mistake' },
      result.ok ? 'Ready.' : 'Not ready.',
    );
    return [make('ul', { className: 'findings' }, ...some), good];
  },
  simulate({ result }) {
    if (!result) return [];
    const { evaluators, judgements, seconds } = result;
    const said = `${evaluators} simulated evaluators gave ${judgements} answers in ${seconds} s.`;
    return [make('p', { className: 'good' }, `${said} Nobody real was asked.`)];
  },
  session: ({ code }) => [make('p', {}, code === 0 ? '' : 'The session did not come to its end.')],
  report({ code, lines }) {
    if (code !== 0) return [];
    const simulated = lines.some((line) => line.includes('report-simulated.html'));
    const href = `/report?${new URLSearchParams({ at, simulated: simulated ? '1' : '0' })}`;
    const link = make('a', { href, target: '_blank' }, 'Open the report');
    return [make('p', { className: 'good' }, link)];
  },
};

/** @param {string} task */
function outputOf(task) {
  const form = /** @type {HTMLFormElement} */ (document.querySelector(`[data-task="${task}"]`));
  const next = form.nextElementSibling;
  if (next) return /** @type {HTMLElement} */ (next);
  const output = make('div', { className: 'output' });
  form.after(output);
  return output;
}

let following = false;
async function followAll() {
  if (following) return;
  following = true;
  try {
    await follow(() => asked(`/api/programs?${query}`), (task, program) => {
      const stop = () => sent(`/api/stop?${query}`, { task }).catch(tell);
      draw(outputOf(task), program, { ended: ENDED[task] ?? (() => []), stop });
    });
  } finally {
    following = false;
  }
}

/** @param {HTMLFormElement} form */
async function start(form) {
  /** @type {Record<string, any>} */
  const options = { task: form.dataset['task'] };
  for (const input of form.querySelectorAll('input')) {
    if (input.type === 'checkbox') options[input.name] = input.checked;
    else if (input.name === 'evaluators') {
      options[input.name] = input.value ? Number(input.value) : null;
    } else options[input.name] = input.value.trim();
  }
  if (Number.isNaN(options['evaluators'])) throw new Error('How many? A whole number is wanted.');
  await sent(`/api/programs?${query}`, options);
  await followAll();
}

const settings = found('form');
settings.addEventListener('input', count);
settings.addEventListener('submit', (event) => {
  event.preventDefault();
  save().catch(tell);
});
for (const one of document.querySelectorAll('form[data-task]')) {
  const form = /** @type {HTMLFormElement} */ (one);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calm();
    start(form).catch(tell);
  });
}
addEventListener('beforeunload', (event) => {
  if (changes().length > 0) event.preventDefault();
});
/** @type {HTMLAnchorElement} */ (found('live')).href = `/watch?${query}`;
await asked(`/api/form?${query}`).then(show).catch(tell);
await followAll().catch(tell);
