/** The settings of a study: one form, in sections by what is decided. */
import { make } from '../../web/client/elements.js';
import { asked, calm, found, query, sent, tell, Wrong } from './shared.js';
import { changeOf, control, say, shown } from './form.js';

/**
 * @typedef {import('./form.js').Field} Field
 * @typedef {import('./form.js').Group} Group
 * @typedef {import('./form.js').Change} Change
 * @typedef {import('./form.js').Control} Control
 * @typedef {[string[], string][]} Mistakes
 * @typedef {{ seen: string, groups: Group[], mistakes: Mistakes,
 *   people: number }} Form
 */

const LOOK = 'Texts are easier to change where they appear: on the page Look.';
/** @type {Control[]} */
let controls = [];
let seen = '';
let begun = false;

/** @param {Form} form */
function show(form) {
  seen = form.seen;
  begun = form.people > 0;
  const opened = new Set(['The study', 'People']);
  for (const one of document.querySelectorAll('#groups details[open]')) {
    opened.add(/** @type {HTMLElement} */ (one).dataset['section'] ?? '');
  }
  controls = [];
  const bySection = Map.groupBy(form.groups, ({ topic }) => topic);
  found('groups').replaceChildren(
    ...[...bySection].map(([section, groups]) => sectionOf(section, groups, opened.has(section))),
  );
  found('people').textContent = begun
    ? `${form.people} ${form.people === 1 ? 'person has' : 'people have'} begun. What they were ` +
      'given is fixed. To change it on purpose, edit the file: hype run or hype serve with ' +
      '--new-version then begins another version, which is scored by itself.'
    : '';
  mark(form.mistakes);
  update();
}

/**
 * @param {string} section
 * @param {Group[]} groups
 * @param {boolean} open
 */
function sectionOf(section, groups, open) {
  const summary = make('summary', {}, make('h3', {}, section), make('span', {}));
  const inner = make(
    'div',
    {},
    section === 'Words' &&
      make('p', { className: 'about' }, make('a', { href: `/look?${query}` }, LOOK)),
    ...groups.filter(isDecided).map((group) =>
      group.place.at(-1) === '' ? beginning(group) : groupOf(group)
    ),
  );
  const details = make('details', { open }, summary, inner);
  details.dataset['section'] = section;
  return details;
}

/**
 * Tell whether there is anything to decide: a protocol allows one value alone of some settings.
 * @param {Field} field
 */
const isOpen = ({ declared: { const: only, prefixItems: [first] = [] } }) =>
  only === undefined && first?.const === undefined;

/**
 * Tell whether a table is shown: axes that the program words itself are changed on the page Look.
 * @param {Group} group
 */
const isDecided = ({ place, fields }) =>
  place[0] !== 'axes' || place[1] === '' || fields.some(({ held }) => held !== null);

/** @param {Group} group */
function groupOf({ place, label, fields }) {
  const table = place.join('.');
  const own = fields.filter(isOpen)
    .map((field) => control(field, begun && field.bears));
  controls.push(...own);
  const named = fields[0]?.place.length === 3 &&
    ['demographics', 'pictures', 'axes'].includes(place[0] ?? '');
  const remove = named &&
    make('button', {
      type: 'button',
      disabled: own.some(({ element }) => element.querySelector(':disabled')),
    }, 'Remove');
  const heading = named ? `${label}: ${place.at(-1)}` : label;
  const element = make(
    'div',
    { className: 'group', role: 'group', 'aria-label': heading },
    make('h4', {}, table === 'study' ? null : heading, make('code', {}, `[${table}]`), remove),
    make('div', { className: 'fields' }, ...own.map((one) => one.element)),
  );
  element.dataset['table'] = table;
  if (remove) remove.addEventListener('click', () => removed(element, own).catch(tell));
  return element;
}

/**
 * Take a table out of the file, or only off the page if it is not in the file yet.
 * @param {HTMLElement} element
 * @param {Control[]} own
 */
async function removed(element, own) {
  const held = own.filter(({ field }) => field.held !== null);
  controls = controls.filter((one) => !own.includes(one));
  element.remove();
  update();
  if (held.length > 0) await save(held.map(({ field }) => ({ place: field.place, value: null })));
}

/**
 * Offer a name for a table of its own, such as a question, whose settings are then shown.
 * @param {Group} group
 */
function beginning(group) {
  const { place, label, fields } = group;
  const above = place.slice(0, -1);
  const id = `begin-${above.join('-')}`;
  const disabled = begun && (fields[0]?.bears ?? false);
  const input = make('input', { id, spellcheck: false, placeholder: 'age', disabled });
  const button = make('button', { type: 'button', disabled }, 'Add');
  const row = make(
    'div',
    { className: 'begin' },
    make('label', { htmlFor: id }, `${label}: name of a new one`),
    input,
    button,
  );
  const begin = () => {
    const named = [...above, input.value.trim()];
    const name = named.join('.');
    if (named.at(-1) === '' || document.querySelector(`[data-table="${CSS.escape(name)}"]`)) return;
    const own = fields.map((field) => ({ ...field, place: [...named, field.place.at(-1) ?? ''] }));
    const added = groupOf({ ...group, place: named, fields: own });
    row.before(added);
    input.value = '';
    /** @type {HTMLElement | null} */ (added.querySelector('input, textarea, select'))?.focus();
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
 * Show each mistake at its setting, and all of them above with links to the settings.
 * @param {Mistakes} mistakes
 */
function mark(mistakes) {
  for (const one of controls) say(one, '');
  const lines = mistakes.map(([place, text]) => {
    const one = controls.find(({ field }) => field.place.join('\n') === place.join('\n'));
    if (!one) return make('li', {}, text);
    const link = make('a', { href: `#${one.id}` }, `${one.field.label}: ${say(one, text)}`);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const { element } = one;
      /** @type {HTMLDetailsElement} */ (element.closest('details')).open = true;
      element.scrollIntoView({ block: 'center' });
      /** @type {HTMLElement | null} */ (element.querySelector('input, select, textarea'))?.focus();
    });
    return make('li', {}, link);
  });
  found('h-summary').textContent = lines.length === 1
    ? 'One setting is wrong'
    : `${lines.length} settings are wrong`;
  found('mistakes').replaceChildren(...lines);
  found('summary').hidden = lines.length === 0;
  if (lines.length > 0) found('summary').focus();
}

const changed = () => controls.filter(({ read, first }) => read() !== first);

/** Show what has changed, and what the search leaves. */
function update() {
  const some = changed();
  for (const one of controls) one.update();
  found('bar').hidden = some.length === 0;
  found('count').textContent = `${some.length} ${some.length === 1 ? 'change' : 'changes'}`;
  for (const one of document.querySelectorAll('#groups > details')) {
    const number = one.querySelectorAll('.changed').length;
    const span = /** @type {HTMLElement} */ (one.querySelector('summary span'));
    span.textContent = number > 0 ? `${number} changed` : '';
  }
}

function search() {
  const wanted = /** @type {HTMLInputElement} */ (found('find')).value.trim().toLowerCase();
  for (const { element, field } of controls) {
    const said = `${field.label} ${field.place.join('.')} ${field.about}`.toLowerCase();
    element.hidden = !said.includes(wanted);
  }
  for (const one of document.querySelectorAll('#groups .group, #groups .begin')) {
    const group = /** @type {HTMLElement} */ (one);
    group.hidden = wanted !== '' && !one.querySelector('.field:not([hidden])');
  }
  let some = false;
  for (const one of document.querySelectorAll('#groups > details')) {
    const section = /** @type {HTMLDetailsElement} */ (one);
    section.hidden = !one.querySelector('.group:not([hidden]), .begin:not([hidden])');
    if (wanted) section.open = true;
    some ||= !section.hidden;
  }
  found('nothing').hidden = some;
}

/**
 * Save changes; the news then offers to undo them.
 * @param {Change[]} changes
 * @param {Change[] | null} back what undoes them; null: they are such an undoing
 */
async function save(changes, back = null) {
  calm();
  try {
    show(await sent(`/api/form?${query}`, { seen, changes }));
  } catch (error) {
    if (!(error instanceof Wrong) || error.mistakes.length === 0) throw error;
    mark(error.mistakes);
    return;
  }
  const undo = back && make('button', { type: 'button' }, 'Undo this save');
  if (undo) undo.addEventListener('click', () => save(back).catch(tell));
  found('news').className = 'good';
  found('news').replaceChildren(back ? 'Saved. ' : 'Undone. ', undo ?? '');
}

const form = found('form');
form.addEventListener('input', ({ target }) => target === found('find') ? search() : update());
form.addEventListener('submit', (event) => {
  event.preventDefault();
  if (document.activeElement === found('find')) return;
  const some = changed();
  const back = some.map(({ field }) =>
    field.held === null
      ? { place: field.place, value: null }
      : changeOf(field, shown(field, field.held))
  );
  save(some.map(({ field, read }) => changeOf(field, read())), back).catch(tell);
});
found('undo').addEventListener('click', () => {
  for (const one of changed()) one.write(one.first);
  update();
});
addEventListener('beforeunload', (event) => {
  if (changed().length > 0) event.preventDefault();
});
await asked(`/api/form?${query}`).then(show).catch(tell);
