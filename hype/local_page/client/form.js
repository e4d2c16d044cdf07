/** The settings of a study as fields, and what is typed into them until it is saved. */
import { asked, found, sent, Wrong } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { calm, query, tell } from './shared.js';

/**
 * @typedef {[string[], string][]} Mistakes settings, and what is wrong with them
 * @typedef {{ seen: string, html: string, mistakes: Mistakes, people: number }} Form
 * @typedef {[string[], string | null]} Change a setting, and its value as the file is to have it
 */

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
 * @param {string} key
 */
export const fieldOf = (key) => fields().find(({ dataset }) => dataset['key'] === key);

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
  return input.type === 'checkbox' ? String(input.checked) : input.value;
}

/**
 * Put a text into a field.
 * @param {HTMLElement} field
 * @param {string} text
 */
export function write(field, text) {
  const isOneOf = field.dataset['kind'] === 'choices';
  for (const input of inputsOf(field)) {
    if (input.type !== 'checkbox') input.value = text;
    else input.checked = isOneOf ? text.split(' ').includes(input.value) : text === 'true';
  }
  field.dispatchEvent(new Event('input', { bubbles: true }));
}

/** @param {HTMLElement} field */
const first = (field) => field.dataset['first'] ?? '';

const changed = () => fields().filter((field) => read(field) !== first(field));

/** @param {HTMLElement} field */
const placeOf = (field) => JSON.parse(field.dataset['place'] ?? '');

/**
 * Show the settings of a study, and keep what is typed until it is saved.
 * @param {typeof show} draw what the page does with the fields, once loaded or saved
 */
export async function edit(draw) {
  show = draw;
  form.addEventListener('input', update);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    save(changed().map((field) => [placeOf(field), written(field, read(field))])).catch(tell);
  });
  form.addEventListener('click', ({ target }) => {
    const field = /** @type {Element} */ (target).closest('.acts button')?.closest('.field');
    if (!(field instanceof HTMLElement)) return;
    write(field, first(field));
    inputsOf(field)[0].focus();
  });
  found('undo').addEventListener('click', () => {
    for (const field of changed()) write(field, first(field));
  });
  addEventListener('beforeunload', (event) => {
    if (changed().length > 0) event.preventDefault();
  });
  await load();
}

/** Load the settings as the file has them now. */
export async function load() {
  take(await asked(`/api/form?${query}`));
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

/** Show what has changed, and the default of what differs from it. */
export function update() {
  for (const field of fields()) {
    const now = read(field);
    const isChanged = now !== first(field);
    const [usual, button] = ['.acts span', '.acts button'].map((
      one,
    ) => /** @type {HTMLElement | null} */ (field.querySelector(one)));
    field.classList.toggle('changed', isChanged);
    if (usual) usual.hidden = now === field.dataset['usual'];
    if (button) button.hidden = !isChanged;
    const acts = /** @type {HTMLElement} */ (field.querySelector('.acts'));
    acts.hidden = !isChanged && (usual?.hidden ?? true);
  }
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
    const field = fieldOf(place.join('.'));
    const isHeld = field && 'held' in field.dataset;
    return /** @type {Change} */ ([place, isHeld ? written(field, first(field)) : null]);
  });
  try {
    take(await sent(`/api/form?${query}`, { seen, changes }));
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
    const field = fieldOf(place.join('.'));
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
  const said = text.replace(new RegExp(`^${key}( = .*?)?: `), '');
  const mistake = /** @type {HTMLElement} */ (field.querySelector('.mistake'));
  mistake.textContent = said && `${said[0]?.toUpperCase()}${said.slice(1)}.`;
  if (text) inputsOf(field)[0].setAttribute('aria-invalid', 'true');
  else inputsOf(field)[0].removeAttribute('aria-invalid');
  return mistake.textContent;
}

/** @param {string} text that a regular expression is to match as it is */
export const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Write what a field shows as a study file has it; an empty field is the default.
 * @param {HTMLElement} field
 * @param {string} text
 */
function written({ dataset }, text) {
  const kind = dataset['kind'] ?? '';
  const lines = text.split('\n').filter(Boolean);
  const isNumber = ['integer', 'number'].includes(kind) && Number.isFinite(Number(text));
  if (text === '' && kind !== 'choices') return null;
  if (kind === 'boolean' || isNumber) return text;
  if (kind === 'written' && !('plain' in dataset && !/^(\d+$|[[{"])/.test(text))) return text;
  if (kind === 'lines') return JSON.stringify(lines);
  if (kind === 'choices') return JSON.stringify(text.split(' ').filter(Boolean));
  if (kind === 'colour') {
    return JSON.stringify([1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16)));
  }
  if (!kind.startsWith('pairs')) return JSON.stringify(text);
  const pairs = lines.map((line) => {
    const [, name = line, value = ''] = /^([^:]*?)\s*:\s*(.*)$/.exec(line) ?? [];
    return `${JSON.stringify(name)} = ${kind === 'pairs' ? JSON.stringify(value) : value}`;
  });
  return `{${pairs.join(', ')}}`;
}
