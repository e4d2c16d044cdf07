/** The settings of a study: one form, in sections by what is decided. */
import { found } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { add, controls, edit, inputIn, isFixed, keyOf, save, update } from './form.js';
import { query, tell } from './shared.js';

/**
 * @typedef {import('./form.js').Field} Field
 * @typedef {import('./form.js').Group} Group
 */

const LOOK = 'Texts are easier to change where they appear: on the page Look.';

/** @param {import('./form.js').Form} form */
function show({ groups, people }) {
  const opened = new Set(['The study', 'People']);
  for (const one of document.querySelectorAll('#groups details[open]')) {
    opened.add(/** @type {HTMLElement} */ (one).dataset['section'] ?? '');
  }
  controls.clear();
  const sections = [...Map.groupBy(groups, ({ topic }) => topic)];
  found('groups').replaceChildren(
    ...sections.map(([section, some]) => sectionOf(section, some, opened.has(section))),
  );
  found('people').textContent = people > 0
    ? `${people} ${people === 1 ? 'person has' : 'people have'} begun. What they were ` +
      'given is fixed. To change it on purpose, edit the file: hype run --new-version then begins ' +
      'another version, which is scored by itself.'
    : '';
}

/**
 * @param {string} section
 * @param {Group[]} groups
 * @param {boolean} open
 */
function sectionOf(section, groups, open) {
  const summary = make('summary', {}, make('h3', {}, section));
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
  const own = fields.filter(isOpen).map(add);
  const named = fields[0]?.place.length === 3 &&
    ['demographics', 'pictures', 'axes'].includes(place[0] ?? '');
  const remove = named &&
    make('button', {
      type: 'button',
      disabled: fields.some(isFixed),
    }, 'Remove');
  const heading = named ? `${label}: ${place.at(-1)}` : label;
  const element = make(
    'div',
    { className: 'group', role: 'group', 'aria-label': heading },
    make('h4', {}, table === 'study' ? null : heading, make('code', {}, `[${table}]`), remove),
    make('div', { className: 'fields' }, ...own.map((one) => one.element)),
  );
  element.dataset['table'] = table;
  if (remove) {
    remove.addEventListener('click', () => {
      for (const { field } of own) controls.delete(keyOf(field.place));
      element.remove();
      update();
      const held = fields.filter((field) => field.held !== null);
      if (held.length === 0) return; // it is not in the file yet
      save(held.map(({ place }) => [place, null])).catch(tell);
    });
  }
  return element;
}

/**
 * Offer a name for a table of its own, such as a question, whose settings are then shown.
 * @param {Group} group
 */
function beginning(group) {
  const { place, label, fields } = group;
  const above = place.slice(0, -1);
  const id = `begin-${above.join('-')}`;
  const disabled = fields.some(isFixed);
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
    inputIn(added)?.focus();
  };
  button.addEventListener('click', begin);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    begin();
  });
  return row;
}

await edit(show).catch(tell);
