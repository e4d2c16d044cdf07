/** A field for each setting, of the kind that it was declared to be. */
import { make } from '../../web/client/elements.js';

/**
 * @typedef {{ place: string[], label: string, about: string, kind: string, declared: any,
 *   optional: boolean, bears: boolean, usual: any, held: any }} Field
 * @typedef {{ place: string[], label: string, topic: string, fields: Field[] }} Group
 * @typedef {{ place: string[], value?: any, written?: string }} Change
 * @typedef {{ field: Field, element: HTMLElement, mistake: HTMLElement, id: string, first: string,
 *   read: () => string, write: (text: string) => void, update: () => void }} Control
 */

const WIDE = 60;
const MOST_ROWS = 8;

/** @param {string[]} place */
const idOf = (place) => `set ${place.join(' ')}`.replaceAll(/\s/g, '-');

/** @param {number} part */
const hex = (part) => part.toString(16).padStart(2, '0');

/**
 * Write a value as a study file has it.
 * @param {any} value
 * @returns {string}
 */
export function written(value) {
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
 */
export function shown({ kind, declared }, value) {
  if (value === null || value === undefined) return '';
  if (kind === 'lines') return value.join('\n');
  if (kind === 'choices') return value.join(' ');
  if (kind === 'colour') return `#${value.map(hex).join('')}`;
  if (kind === 'written') return isPlain(declared, value) ? value : written(value);
  return String(value);
}

/**
 * Give what a field shows as the program takes it; an empty field is the default.
 * @param {Field} field
 * @param {string} text
 * @returns {Change}
 */
export function changeOf({ place, kind, declared }, text) {
  if (text === '' && kind !== 'choices') return { place, value: null };
  if (kind === 'boolean') return { place, value: text === 'true' };
  if (kind === 'lines') return { place, value: text.split('\n').filter(Boolean) };
  if (kind === 'choices') return { place, value: text.split(' ').filter(Boolean) };
  if (kind === 'written') {
    return isPlain(declared, text) ? { place, value: text } : { place, written: text };
  }
  if (kind === 'colour') {
    const parts = [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16));
    return { place, written: written(parts) };
  }
  if (kind === 'integer' || kind === 'number') {
    return { place, value: Number.isFinite(Number(text)) ? Number(text) : text };
  }
  return { place, value: text };
}

/** @param {any} declared */
function rangeOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }) {
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  const parts = [];
  if (minimum !== undefined) parts.push(`${minimum} or more`);
  if (exclusiveMinimum !== undefined) parts.push(`more than ${exclusiveMinimum}`);
  if (maximum !== undefined) parts.push(`at most ${maximum}`);
  if (exclusiveMaximum !== undefined) parts.push(`less than ${exclusiveMaximum}`);
  const range = parts.join(' and ');
  return range && `${range[0]?.toUpperCase()}${range.slice(1)}.`;
}

/**
 * Say what is wrong with a setting, beside its field; gives the words, without the key.
 * @param {Control} one
 * @param {string} text "" if nothing is
 */
export function say({ field, element, mistake }, text) {
  const key = escaped(field.place.join('.'));
  const said = text.replace(new RegExp(`^${key}( = .*?)?: `), '');
  mistake.textContent = said && `${said[0]?.toUpperCase()}${said.slice(1)}.`;
  const input = element.querySelector('input, select, textarea');
  if (text) input?.setAttribute('aria-invalid', 'true');
  else input?.removeAttribute('aria-invalid');
  return mistake.textContent;
}

/** @param {string} text that a regular expression is to match as it is */
export const escaped = (text) => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/**
 * Make the field of a setting.
 * @param {Field} field
 * @param {boolean} fixed
 * @returns {Control}
 */
export function control(field, fixed) {
  const { kind, declared, place, label } = field;
  const id = idOf(place);
  const first = shown(field, field.held ?? field.usual);
  const usual = shown(field, field.usual);
  const hint = kind === 'lines' ? 'One in each line.' : rangeOf(declared);
  const said = [field.about, hint].filter(Boolean).join(' ');
  const common = {
    id,
    name: place.join('.'),
    disabled: fixed,
    'aria-describedby': `${id}-about ${id}-mistake`,
  };
  const { input, read, write } = inputOf(field, common);
  const key = make('code', {}, place.at(-1) ?? '');
  const undo = make('button', { type: 'button', 'aria-label': `Undo: ${label}` }, 'Undo');
  const reset = make(
    'button',
    { type: 'button', 'aria-label': `Use the default: ${label}`, disabled: fixed },
    'Use the default',
  );
  const needed = field.usual === null && !field.optional;
  const called = typeof field.usual === 'boolean' ? (field.usual ? 'yes' : 'no') : usual;
  const worded = needed || usual.length > WIDE ? '' : called || 'none';
  const acts = make('p', { className: 'acts' }, worded && `Default: ${worded}`, reset, undo);
  const mistake = make('p', { className: 'mistake', id: `${id}-mistake` });
  const about = make('p', { className: 'about', id: `${id}-about` }, said);
  const named = input instanceof HTMLFieldSetElement
    ? null
    : make('span', { className: 'named' }, make('label', { htmlFor: id }, label), key);
  const tick = /** @type {HTMLInputElement} */ (input).type === 'checkbox';
  const wide = kind === 'string' && input.localName === 'textarea' ? ' wide' : '';
  const element = make(
    'div',
    { className: `field${wide}${tick ? ' ticked' : ''}` },
    ...(tick ? [input, named] : [named, input]),
    about,
    acts,
    mistake,
  );
  /** @type {Control} */
  const made = { field, element, mistake, id, first, read, write, update: () => {} };
  made.update = () => {
    const now = read();
    element.classList.toggle('changed', now !== made.first);
    undo.hidden = now === made.first;
    reset.hidden = now === usual || !worded || kind === 'choices';
    acts.hidden = undo.hidden && reset.hidden;
  };
  /** @param {string} text */
  const change = (text) => {
    write(text);
    input.dispatchEvent(new Event('input', { bubbles: true }));
    /** @type {HTMLElement | null} */ (element.querySelector('input, select, textarea'))?.focus();
  };
  undo.addEventListener('click', () => change(made.first));
  reset.addEventListener('click', () => change(usual));
  made.update();
  return made;
}

/**
 * Make what is typed into, or chosen from; gives how its text is read and written.
 * @param {Field} field
 * @param {Record<string, any>} common
 */
function inputOf(field, common) {
  const { kind, declared, label, optional } = field;
  const text = shown(field, field.held ?? field.usual);
  if (kind === 'choices') {
    const boxes = /** @type {string[]} */ (declared.items.enum).map((value) =>
      make('input', { type: 'checkbox', value, disabled: common['disabled'] })
    );
    const labels = boxes.map((box) => make('label', { className: 'tick' }, box, box.value));
    const legend = make(
      'legend',
      { className: 'named' },
      label,
      make('code', {}, field.place.at(-1)),
    );
    /** @param {string} now */
    const write = (now) => {
      for (const box of boxes) box.checked = now.split(' ').includes(box.value);
    };
    write(text);
    const read = () => boxes.filter((box) => box.checked).map((box) => box.value).join(' ');
    const { id, 'aria-describedby': describedBy } = common;
    const input = make('fieldset', { id, 'aria-describedby': describedBy }, legend, ...labels);
    return { input, read, write };
  }
  if (kind === 'boolean' && !optional) {
    const input = make('input', { ...common, type: 'checkbox', checked: text === 'true' });
    /** @param {string} now */
    const write = (now) => (input.checked = now === 'true');
    return { input, read: () => String(input.checked), write };
  }
  const input = typedInto(field, common, text);
  input.value = text;
  /** @param {string} now */
  const write = (now) => (input.value = now);
  return { input, read: () => input.value, write };
}

/**
 * @param {Field} field
 * @param {Record<string, any>} common
 * @param {string} text
 */
function typedInto({ place, kind, declared, optional, usual }, common, text) {
  if (kind === 'boolean' || kind === 'choice') {
    const some = kind === 'boolean' ? [['true', 'yes'], ['false', 'no']] : declared.enum;
    const options = some.map((/** @type {any} */ one) => {
      const [value, label] = Array.isArray(one) ? one : [one, one];
      return make('option', { value }, String(label));
    });
    const none = optional || usual === null ? [make('option', { value: '' }, 'not set')] : [];
    return make('select', common, ...none, ...options);
  }
  if (kind === 'colour') return make('input', { ...common, type: 'color' });
  if (kind === 'lines') return make('textarea', { ...common, rows: 2 });
  const isLong = place.includes('texts') || text.length > WIDE;
  if (kind === 'text' || (kind === 'string' && isLong)) {
    const rows = text.split('\n').reduce(
      (sum, line) => sum + 1 + Math.floor(line.length / WIDE),
      0,
    );
    return make('textarea', { ...common, rows: Math.min(rows, MOST_ROWS) });
  }
  const mode = { integer: 'numeric', number: 'decimal' }[kind] ?? 'text';
  return make('input', { ...common, inputMode: mode, spellcheck: kind === 'string' });
}
