/** The settings of a study as fields, and what is typed into them until it is saved. */
import { asked, found, sent, Wrong } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { calm, query, tell } from './shared.js';

/**
 * @typedef {[string[], string][]} Mistakes settings, and what is wrong with them
 * @typedef {{ seen: string, html: string, mistakes: Mistakes, people: number }} Form
 * @typedef {[string[], string | null]} Change a setting, and what its field shows; null: it is
 *   taken out of the file
 */

const address = `/api/form?${query}&in_browser=${location.pathname === '/look'}`;

/** Which file is shown, as it was loaded or saved last. */
let seen = '';
/** @type {(fields: DocumentFragment, form: Form) => void} what the page does with the fields */
let show;

/** @type {HTMLFormElement} */
const form = found('form');
/** @returns {HTMLElement[]} */
const fields = () => [...form.querySelectorAll('.field')].map((one) => /** @type {any} */ (one));

/**
 * Find the field of a setting.
 * @param {string[]} place
 */
const fieldOf = (place) => fields().find(({ dataset }) => dataset['key'] === place.join('.'));

/**
 * @param {HTMLElement} field
 * @returns {any[]}
 */
const inputsOf = (field) => [...field.querySelectorAll('input, select, textarea')];

/**
 * Give what a field shows now.
 * @param {HTMLElement} field
 * @returns {string}
 */
export function read(field) {
  const [input, ...others] = inputsOf(field);
  if (field.dataset['kind'] === 'choices') {
    return [input, ...others].filter((one) => one.checked).map((one) => one.value).join(' ');
  }
  if (input.type === 'checkbox') return String(input.checked);
  const text = [input, ...others].map((one) => one.value).join('\n');
  return text.trim() ? text : '';
}

/**
 * Put a text into a field.
 * @param {HTMLElement} field
 * @param {string} text
 */
function write(field, text) {
  const isOneOf = field.dataset['kind'] === 'choices';
  const inputs = inputsOf(field);
  const parts = inputs.length > 1 ? text.split('\n') : [text];
  inputs.forEach((input, number) => {
    if (input.type !== 'checkbox') input.value = parts[number] ?? '';
    else input.checked = isOneOf ? text.split(' ').includes(input.value) : text === 'true';
  });
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** @param {HTMLElement} field */
const first = (field) => field.dataset['first'] ?? '';

const changed = () => fields().filter((field) => read(field) !== first(field));

/** @param {HTMLElement} field */
export const placeOf = (field) => JSON.parse(field.dataset['place'] ?? '');

/**
 * Show the settings of a study, and keep what is typed until it is saved.
 * @param {typeof show} draw what the page does with the fields, once loaded or saved
 */
export async function edit(draw) {
  show = draw;
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    save(changed().map((field) => [placeOf(field), read(field)])).catch(tell);
  });
  found('undo').addEventListener('click', () => {
    for (const field of changed()) write(field, first(field));
  });
  addEventListener('beforeunload', (event) => {
    if (changed().length > 0) event.preventDefault();
  });
  await load();
}

export async function load() {
  take(await asked(address));
}

/** @param {Form} now */
function take(now) {
  seen = now.seen;
  const template = document.createElement('template');
  template.innerHTML = now.html;
  show(template.content, now);
  mark(now.mistakes);
  update();
}

/** Show what has changed. */
export function update() {
  for (const field of fields()) field.classList.toggle('changed', read(field) !== first(field));
  const number = changed().length;
  found('bar').hidden = number === 0;
  found('count').textContent = `${number} ${number === 1 ? 'change' : 'changes'}`;
}

/**
 * Save changes; the news then offers to undo them.
 * @param {Change[]} changes
 * @param {boolean} isUndo
 */
export async function save(changes, isUndo = false) {
  calm();
  const back = changes.map(([place]) => {
    const field = fieldOf(place);
    return /** @type {Change} */ ([place, field && 'held' in field.dataset ? first(field) : null]);
  });
  try {
    take(await sent(address, { seen, changes }));
  } catch (error) {
    if (!(error instanceof Wrong) || error.mistakes.length === 0) throw error;
    mark(error.mistakes);
    return;
  }
  const undoing = make('button', { type: 'button' }, 'Undo this save');
  undoing.addEventListener('click', () => save(back, true).catch(tell));
  found('news').className = 'good';
  found('news').replaceChildren(isUndo ? 'Undone.' : 'Saved. ', isUndo ? '' : undoing);
}

/**
 * Show each mistake at its setting, and all of them above with links to the settings.
 * @param {Mistakes} mistakes
 */
function mark(mistakes) {
  for (const field of fields()) say(field, '');
  const lines = mistakes.map(([place, text]) => {
    const field = fieldOf(place);
    if (!field) return make('li', {}, text);
    const link = make('a', { href: '#' }, `${field.dataset['label']}: ${say(field, text)}`);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const section = field.closest('details');
      if (section) section.open = true;
      field.scrollIntoView({ block: 'center' });
      inputsOf(field)[0].focus();
    });
    return make('li', {}, link);
  });
  found('h-summary').textContent = lines.length === 1
    ? 'One setting is wrong'
    : `${lines.length} settings are wrong`;
  found('mistakes').replaceChildren(...lines);
  found('summary').hidden = lines.length === 0;
  found('summary').focus();
}

/**
 * Say what is wrong with a setting, beside its field; gives the words, without the key.
 * @param {HTMLElement} field
 * @param {string} text "" if nothing is
 */
function say(field, text) {
  const key = escaped(field.dataset['key'] ?? '');
  const found = new RegExp(`^(?:the file: )?${key}(?:\\.([^ :=]+))?(?: = .*?)?: ([^]*)`).exec(text);
  const [, part, what] = found ?? ['', '', text];
  const name = part && `${inputsOf(field)[Number(part) - 1]?.ariaLabel ?? part}: `;
  const said = `${name ?? ''}${what}`;
  const mistake = /** @type {HTMLElement} */ (field.querySelector('.mistake'));
  mistake.textContent = said && `${said[0]?.toUpperCase()}${said.slice(1)}.`;
  if (text) inputsOf(field)[0].setAttribute('aria-invalid', 'true');
  else inputsOf(field)[0].removeAttribute('aria-invalid');
  return mistake.textContent;
}

/** @param {string} text that a regular expression is to match as it is */
export const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');
