/** The settings of a study as a form. */
import { make } from '../../web/client/elements.js';
import { asked, found, query, sent, tell, Wrong } from './shared.js';
import { changeOf, control } from './form.js';

/**
 * @typedef {import('./form.js').Group} Group
 * @typedef {import('./form.js').Control} Control
 * @typedef {{ file: string, seen: string, groups: Group[], mistakes: [string[], string][],
 *   people: number }} Form
 */

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

const settings = found('form');
settings.addEventListener('input', count);
settings.addEventListener('submit', (event) => {
  event.preventDefault();
  save().catch(tell);
});
addEventListener('beforeunload', (event) => {
  if (changes().length > 0) event.preventDefault();
});
await asked(`/api/form?${query}`).then(show).catch(tell);
