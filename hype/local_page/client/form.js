/** A field for each setting, of the kind that it was declared to be. */
import { make } from '../../web/client/elements.js';

/**
 * @typedef {{ place: string[], kind: string, declared: any, optional: boolean, about: string,
 *   bears: boolean, usual: any, held: any }} Field
 * @typedef {{ place: string[], about: string, fields: Field[] }} Group
 * @typedef {{ place: string[], value?: any, written?: string }} Change
 * @typedef {{ field: Field, element: HTMLElement, mistake: HTMLElement, read: () => string,
 *   first: string }} Control
 */

/** @param {string[]} place */
const idOf = (place) => `set ${place.join(' ')}`.replaceAll(/\s/g, '-');

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
  return `{${pairs.join(', ')}}`;
}

/**
 * Give a value as its field shows it; "" where there is none.
 * @param {Field} field
 * @param {any} value
 */
function shown({ kind }, value) {
  if (value === null || value === undefined) return '';
  if (kind === 'lines') return value.join('\n');
  if (kind === 'choices') return value.join(' ');
  if (kind === 'written') return written(value);
  return String(value);
}

/**
 * Give what was typed as the program takes it; an empty field is what is usual.
 * @param {Control} control
 * @returns {Change}
 */
export function changeOf({ field: { place, kind }, read }) {
  const text = read();
  if (text === '' && kind !== 'choices') return { place, value: null };
  if (kind === 'boolean') return { place, value: text === 'true' };
  if (kind === 'lines') return { place, value: text.split('\n').filter(Boolean) };
  if (kind === 'choices') return { place, value: text.split(' ').filter(Boolean) };
  if (kind === 'written') return { place, written: text };
  if (kind === 'integer' || kind === 'number') {
    return { place, value: Number.isFinite(Number(text)) ? Number(text) : text };
  }
  return { place, value: text };
}

/** @param {any} declared */
function range(declared) {
  const least = declared.minimum ?? declared.exclusiveMinimum;
  const most = declared.maximum ?? declared.exclusiveMaximum;
  const parts = [];
  if (least !== undefined) parts.push(declared.minimum === undefined ? `> ${least}` : `≥ ${least}`);
  if (most !== undefined) parts.push(declared.maximum === undefined ? `< ${most}` : `≤ ${most}`);
  return parts.join(', ');
}

/**
 * Make the field of a setting.
 * @param {Field} field
 * @param {boolean} fixed
 * @returns {Control}
 */
export function control(field, fixed) {
  const { kind, declared, place } = field;
  const id = idOf(place);
  const name = place.at(-1) ?? '';
  const usual = shown(field, field.usual);
  const mistake = make('p', { className: 'mistake', id: `${id}-mistake` });
  let hint = kind === 'lines' ? 'one in each line' : range(declared);
  if ((kind === 'boolean' || kind === 'choice') && usual) hint = `usually ${usual}`;
  const about = make(
    'p',
    { className: 'about', id: `${id}-about` },
    hint ? `${field.about} (${hint})` : field.about,
  );
  const common = {
    id,
    name: place.join('.'),
    disabled: fixed,
    'aria-describedby': `${id}-about ${id}-mistake`,
  };
  const label = make('label', { htmlFor: id }, name);
  if (kind === 'choices') return severalOf(field, { common, about, mistake });
  const text = shown(field, field.held);
  let input;
  if (kind === 'boolean' || kind === 'choice') {
    const options = kind === 'boolean' ? ['true', 'false'] : declared.enum;
    const none = make('option', { value: '' }, usual ? `${usual} (as usual)` : '–');
    const others = options.map((/** @type {string} */ one) => make('option', {}, one));
    input = make('select', common, none, ...others);
  } else if (kind === 'lines' || usual.includes('\n') || text.includes('\n')) {
    input = make('textarea', { ...common, placeholder: usual, rows: kind === 'lines' ? 2 : 4 });
  } else {
    const mode = { integer: 'numeric', number: 'decimal' }[kind] ?? 'text';
    input = make('input', { ...common, placeholder: usual, inputMode: mode, spellcheck: false });
  }
  input.value = text;
  const wide = input.localName === 'textarea' ? 'field wide' : 'field';
  const element = make('div', { className: wide }, label, input, about, mistake);
  return { field, element, mistake, read: () => input.value, first: input.value };
}

/**
 * Make the field of a setting that has several of some values.
 * @param {Field} field
 * @param {{ common: Record<string, any>, about: HTMLElement, mistake: HTMLElement }} parts
 * @returns {Control}
 */
function severalOf(field, { common, about, mistake }) {
  const held = field.held ?? field.usual ?? [];
  const boxes = field.declared.items.enum.map((/** @type {string} */ value) =>
    make('input', {
      type: 'checkbox',
      value,
      checked: held.includes(value),
      disabled: common['disabled'],
    })
  );
  const labels = boxes.map((/** @type {HTMLInputElement} */ box) =>
    make('label', { className: 'tick' }, box, box.value)
  );
  const legend = make('legend', { className: 'label' }, field.place.at(-1) ?? '');
  const several = make(
    'fieldset',
    { id: common['id'], 'aria-describedby': common['aria-describedby'] },
    legend,
    ...labels,
  );
  const read = () =>
    boxes.filter((/** @type {HTMLInputElement} */ box) => box.checked)
      .map((/** @type {HTMLInputElement} */ box) => box.value).join(' ');
  const element = make('div', { className: 'field' }, several, about, mistake);
  return { field, element, mistake, read, first: read() };
}
