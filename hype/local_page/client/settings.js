/** The settings of a study: one form, in sections by what is decided. */
import { found } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { edit, placeOf, save, update } from './form.js';
import { tell } from './shared.js';

const NEW = 'new-one';
/** @type {HTMLElement} */
const groups = found('groups');

/**
 * @param {DocumentFragment} fields
 * @param {import('./form.js').Form} form
 */
function show(fields, { people }) {
  const isOpen = new Map([['The study', true], ['People', true]]);
  for (const { dataset, open } of groups.querySelectorAll('details')) {
    isOpen.set(dataset['section'] ?? '', open);
  }
  for (const one of fields.querySelectorAll('details')) {
    one.open = isOpen.get(one.dataset['section'] ?? '') ?? false;
  }
  groups.replaceChildren(fields);
  found('people').textContent = people > 0
    ? `${people} ${people === 1 ? 'person has' : 'people have'} begun. What they were ` +
      'given is fixed. To change it on purpose, edit the file: hype run or hype serve with ' +
      '--new-version then begins another version, which is scored by itself.'
    : '';
}

/**
 * Show the settings of a table that is not in the file yet, such as a question.
 * @param {Element} row
 */
function begin(row) {
  const input = /** @type {HTMLInputElement} */ (row.querySelector('input'));
  const name = input.value.trim();
  if (!/^[\p{L}\p{N}_ -]+$/u.test(name)) return tell('A name has letters and digits.');
  const template = make('template', {});
  template.innerHTML = row.querySelector('template')?.innerHTML.replaceAll(NEW, name) ?? '';
  const group = /** @type {HTMLElement} */ (template.content.querySelector('.group'));
  const table = group.dataset['table'] ?? '';
  if (groups.querySelector(`[data-table="${CSS.escape(table)}"]`)) return;
  row.before(group);
  input.value = '';
  update();
  /** @type {HTMLElement | null} */ (group.querySelector('input, textarea, select'))?.focus();
}

/** @param {Element} group */
function remove(group) {
  const held = [...group.querySelectorAll('[data-held]')];
  if (held.length > 0) {
    save(held.map((field) => [placeOf(/** @type {HTMLElement} */ (field)), null])).catch(tell);
  } else { // it is not in the file yet
    group.remove();
    update();
  }
}

groups.addEventListener('click', ({ target }) => {
  const button = /** @type {Element} */ (target).closest('button');
  const [group, row] = [button?.closest('.group'), button?.closest('.begin')];
  if (button?.className === 'remove' && group) remove(group);
  else if (row) begin(row);
});
groups.addEventListener('keydown', (event) => {
  const row = /** @type {Element} */ (event.target).closest('.begin');
  if (event.key !== 'Enter' || !row) return;
  event.preventDefault();
  begin(row);
});

await edit(show).catch(tell);
