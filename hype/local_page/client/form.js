/** The settings of a study as fields, and what is typed into them until it is saved. */
import { asked, found, sent, Wrong } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { calm, query, tell } from './shared.js';

/**
 * @typedef {{ place: string[], label: string, about: string, kind: string, declared: any,
 *   choices: [any, string][], optional: boolean, bears: boolean, usual: any, held: any }} Field
 * @typedef {{ place: string[], label: string, topic: string, fields: Field[] }} Group
 * @typedef {[string[], string][]} Mistakes
 * @typedef {{ seen: string, groups: Group[], mistakes: Mistakes, people: number }} Form
 * @typedef {[string[], string | null]} Change a setting, and its value as the file is to have it
 * @typedef {{ field: Field, element: HTMLElement, first: string, read: () => string,
 *   change: (text: string) => void, update: () => void, say: (mistake: string) => string }} Control
 */

const WIDE = 60;
const MOST_ROWS = 8;
/** @type {Map<string, Control>} the fields of the page, by the keys of their settings */
export const controls = new Map();
/** @type {Form} as it was loaded or saved last */
let form;
/** @type {(form: Form) => void} what the page does with a form that was loaded or saved */
let show;

const title = make('h3', { id: 'h-summary' });
const list = make('ul', { id: 'mistakes' });
const summary = make(
  'div',
  {
    id: 'summary',
    className: 'summary',
    role: 'group',
    'aria-labelledby': 'h-summary',
    tabIndex: -1,
    hidden: true,
  },
  title,
  list,
);
const count = make('span', { role: 'status' });
const undoAll = make('button', { type: 'button' }, 'Undo all');
const bar = make(
  'div',
  { id: 'bar', className: 'bar', hidden: true },
  count,
  make('button', { className: 'main' }, 'Save'),
  undoAll,
);

/** @param {string[]} place */
export const keyOf = (place) => place.join('.');

/** @param {Form} form */
export const fieldsOf = ({ groups }) =>
  new Map(groups.flatMap(({ fields }) => fields).map((field) => [keyOf(field.place), field]));

const changed = () => [...controls.values()].filter(({ read, first }) => read() !== first);

/**
 * Show the settings of a study, and keep what is typed until it is saved.
 * @param {(form: Form) => void} draw what the page does with them, once loaded or saved
 */
export async function edit(draw) {
  show = draw;
  const element = found('form');
  element.prepend(summary);
  element.append(bar);
  element.addEventListener('input', update);
  element.addEventListener('submit', (event) => {
    event.preventDefault();
    save(changed().map(({ field, read }) => changeOf(field, read()))).catch(tell);
  });
  undoAll.addEventListener('click', () => changed().forEach((one) => one.change(one.first)));
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
  form = now;
  show(form);
  mark(form.mistakes);
  update();
}

/**
 * Tell whether a setting is fixed: people were given it, and it bears on what they answer.
 * @param {Field} field
 */
export const isFixed = (field) => form.people > 0 && field.bears;

/** Show what has changed. */
export function update() {
  for (const one of controls.values()) one.update();
  const number = changed().length;
  bar.hidden = number === 0;
  count.textContent = `${number} ${number === 1 ? 'change' : 'changes'}`;
}

/**
 * Save changes; the news then offers to undo them.
 * @param {Change[]} changes
 * @param {boolean} isUndo
 */
export async function save(changes, isUndo = false) {
  calm();
  const held = fieldsOf(form);
  /** @type {Change[]} */
  const back = changes.map(([place]) => {
    const field = held.get(keyOf(place));
    return field ? changeOf(field, shown(field, field.held)) : [place, null];
  });
  try {
    take(await sent(`/api/form?${query}`, { seen: form.seen, changes }));
  } catch (error) {
    if (!(error instanceof Wrong) || error.mistakes.length === 0) throw error;
    mark(error.mistakes);
    return;
  }
  const undo = make('button', { type: 'button' }, 'Undo this save');
  undo.addEventListener('click', () => save(back, true).catch(tell));
  found('news').className = 'good';
  found('news').replaceChildren(isUndo ? 'Undone.' : 'Saved. ', isUndo ? '' : undo);
}

/**
 * Show each mistake at its setting, and all of them above with links to the settings.
 * @param {Mistakes} mistakes
 */
function mark(mistakes) {
  for (const one of controls.values()) one.say('');
  const lines = mistakes.map(([place, text]) => {
    const one = controls.get(keyOf(place));
    if (!one) return make('li', {}, text);
    const link = make('a', { href: '#' }, `${one.field.label}: ${one.say(text)}`);
    link.addEventListener('click', (event) => {
      event.preventDefault();
      const section = one.element.closest('details');
      if (section) section.open = true;
      one.element.scrollIntoView({ block: 'center' });
      inputIn(one.element)?.focus();
    });
    return make('li', {}, link);
  });
  title.textContent = lines.length === 1
    ? 'One setting is wrong'
    : `${lines.length} settings are wrong`;
  list.replaceChildren(...lines);
  summary.hidden = lines.length === 0;
  summary.focus();
}

/**
 * @param {HTMLElement} element
 * @returns {HTMLInputElement | null}
 */
export const inputIn = (element) => element.querySelector('input, select, textarea');

/**
 * Write a value as a study file has it.
 * @param {any} value
 * @returns {string}
 */
function written(value) {
  if (Array.isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value);
  const pairs = Object.entries(value).map(([name, one]) =>
    `${JSON.stringify(name)} = ${written(one)}`
  );
  return pairs.length > 0 ? `{${pairs.join(', ')}}` : '';
}

/**
 * Tell whether a setting that may be a text is one, and no number, list or table.
 * @param {any} declared
 * @param {any} value
 */
const isPlain = ({ anyOf = [] }, value) =>
  anyOf.some((/** @type {any} */ { type }) => type === 'string') &&
  typeof value === 'string' && !/^(\d+$|[[{"])/.test(value);

/**
 * Give a value as its field shows it; "" where there is none.
 * @param {Field} field
 * @param {any} value
 * @returns {string}
 */
function shown({ kind, declared }, value) {
  if (value === null || value === undefined) return '';
  if (kind === 'lines') return value.join('\n');
  if (kind === 'pairs') return Object.entries(value).map((pair) => pair.join(': ')).join('\n');
  if (kind === 'choices') return value.join(' ');
  if (kind === 'colour') {
    return `#${
      value.map((/** @type {number} */ part) => part.toString(16).padStart(2, '0')).join('')
    }`;
  }
  if (kind === 'written') return isPlain(declared, value) ? value : written(value);
  return String(value);
}

/**
 * Give what a field shows as a study file has it; an empty field is the default.
 * @param {Field} field
 * @param {string} text
 * @returns {Change}
 */
function changeOf({ place, kind, declared }, text) {
  const lines = text.split('\n').filter(Boolean);
  const isNumber = ['integer', 'number'].includes(kind) && Number.isFinite(Number(text));
  /** @type {any} */
  let value = text;
  if (text === '' && kind !== 'choices') return [place, null];
  if (kind === 'boolean' || (kind === 'written' && !isPlain(declared, text))) return [place, text];
  if (isNumber) value = Number(text);
  else if (kind === 'lines') value = lines;
  else if (kind === 'choices') value = text.split(' ').filter(Boolean);
  else if (kind === 'colour') value = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
  else if (kind === 'pairs') {
    value = Object.fromEntries(lines.map((line) => {
      const [, name = line, one = ''] = /^([^:]*?)\s*:\s*(.*)$/.exec(line) ?? [];
      return [name, declared.additionalProperties?.type === 'number' ? Number(one) : one];
    }));
  }
  return [place, written(value)];
}

/**
 * Make a sentence of some words; of none, none.
 * @param {string} text
 */
const capital = (text) => text && `${text[0]?.toUpperCase()}${text.slice(1)}.`;

/** @param {string} text that a regular expression is to match as it is */
export const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Make the field of a setting.
 * @param {Field} field
 * @returns {Control}
 */
export function add(field) {
  const { kind, place, label, choices } = field;
  const key = keyOf(place);
  const id = `set ${place.join(' ')}`.replaceAll(/\s/g, '-');
  const usual = shown(field, field.usual);
  const disabled = isFixed(field);
  const { input, read, write } = inputOf(field, {
    id,
    name: key,
    disabled,
    'aria-describedby': `${id}-about ${id}-mistake`,
  });
  const hints = new Map([['lines', 'One in each line.'], ['pairs', 'In each line name: value.']]);
  const undo = make('button', { type: 'button', 'aria-label': `Undo: ${label}` }, 'Undo');
  const isNeeded = (field.usual === null && !field.optional) || usual.length > WIDE;
  const words = choices.find(([value]) => String(value) === usual)?.[1] ?? usual;
  const standard = make('span', {}, `Default: ${words || 'none'}`);
  const acts = make('p', { className: 'acts' }, standard, undo);
  const mistake = make('p', { className: 'mistake', id: `${id}-mistake` });
  const isGroup = input.localName === 'fieldset';
  const isTick = /** @type {HTMLInputElement} */ (input).type === 'checkbox';
  const named = make(
    isGroup ? 'legend' : 'span',
    { className: 'named' },
    isGroup ? label : make('label', { htmlFor: id }, label),
    make('code', {}, place.at(-1)),
  );
  if (isGroup) input.prepend(named);
  const element = make(
    'div',
    { className: 'field' },
    ...(isGroup ? [input] : isTick ? [input, named] : [named, input]),
    make('p', { className: 'about', id: `${id}-about` }, field.about, ' ', hints.get(kind)),
    acts,
    mistake,
  );
  element.classList.toggle('ticked', isTick);
  element.classList.toggle('wide', kind === 'string' && input.localName === 'textarea');
  /** @type {Control} */
  const one = {
    field,
    element,
    first: shown(field, field.held ?? field.usual),
    read,
    change: (text) => {
      write(text);
      input.dispatchEvent(new Event('input', { bubbles: true }));
    },
    update: () => {
      const now = read();
      element.classList.toggle('changed', now !== one.first);
      undo.hidden = now === one.first;
      standard.hidden = now === usual || isNeeded;
      acts.hidden = undo.hidden && standard.hidden;
    },
    say: (text) => {
      mistake.textContent = capital(text.replace(new RegExp(`^${escaped(key)}( = .*?)?: `), ''));
      if (text) inputIn(element)?.setAttribute('aria-invalid', 'true');
      else inputIn(element)?.removeAttribute('aria-invalid');
      return mistake.textContent;
    },
  };
  undo.addEventListener('click', () => {
    one.change(one.first);
    inputIn(element)?.focus();
  });
  write(one.first);
  controls.set(key, one);
  return one;
}

/**
 * Make what is typed into, or chosen from; gives how its text is read and written.
 * @param {Field} field
 * @param {Record<string, any>} common
 * @returns {{ input: HTMLElement, read: () => string, write: (text: string) => void }}
 */
function inputOf(field, common) {
  if (field.kind === 'choices') {
    const boxes = field.choices.map(([value]) =>
      make('input', { type: 'checkbox', value, disabled: common['disabled'] })
    );
    const ticks = boxes.map((box, at) =>
      make('label', { className: 'tick' }, box, field.choices[at]?.[1])
    );
    return {
      input: make('fieldset', common, ...ticks),
      read: () => boxes.filter((box) => box.checked).map((box) => box.value).join(' '),
      write: (text) => boxes.forEach((box) => box.checked = text.split(' ').includes(box.value)),
    };
  }
  if (field.kind === 'boolean' && !field.optional) {
    const input = make('input', { ...common, type: 'checkbox' });
    return {
      input,
      read: () => String(input.checked),
      write: (text) => input.checked = text === 'true',
    };
  }
  const input = typedInto(field, common);
  return { input, read: () => input.value, write: (text) => input.value = text };
}

/**
 * @param {Field} field
 * @param {Record<string, any>} common
 */
function typedInto(field, common) {
  const { kind, choices, optional, usual } = field;
  if (kind === 'boolean' || kind === 'choice') {
    const options = choices.map(([value, words]) =>
      make('option', { value: String(value) }, words)
    );
    const none = optional || usual === null ? [make('option', { value: '' }, 'not set')] : [];
    return make('select', common, ...none, ...options);
  }
  if (kind === 'colour') return make('input', { ...common, type: 'color' });
  const lines = shown(field, field.held ?? usual).split('\n');
  const isLong = field.place.includes('texts') || lines.join().length > WIDE;
  if (['lines', 'pairs'].includes(kind) || (kind === 'string' && isLong)) {
    const rows = lines.reduce((sum, line) => sum + 1 + Math.floor(line.length / WIDE), 0);
    return make('textarea', { ...common, rows: Math.min(rows, MOST_ROWS) });
  }
  const mode = { integer: 'numeric', number: 'decimal' }[kind] ?? 'text';
  return make('input', { ...common, inputMode: mode, spellcheck: kind === 'string' });
}
