/** A box to type an answer into. */
import { make } from './elements.js';

/** The most characters that are typed into a single line. */
const LINE = 100;

/**
 * Make a box. The choice that does not stand apart sends what was typed; another one withholds it.
 * @param {import('./wire.js').Entry} entry
 * @param {import('./answering.js').Choice[]} choices
 */
export function entryOf(entry, choices) {
  const send = choices.find(({ button }) => !button.aside);
  if (!send) throw new Error('nothing sends what is typed');
  const input = fieldOf(entry);
  Object.defineProperty(send.button, 'answer', { get: () => input.value.trim() });
  send.refused = () => !input.reportValidity() || !input.value.trim();
  input.onkeydown = (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    send.element.click();
  };
  return make('div', { className: 'entry' }, input);
}

/** @param {import('./wire.js').Entry} entry */
function fieldOf({ kind, lowest, highest, whole, longest }) {
  const common = { id: 'entry', required: true, autocomplete: 'off', 'aria-labelledby': 'asked' };
  if (kind === 'number') {
    const step = whole ? 1 : 'any';
    return make('input', { ...common, type: 'number', min: lowest, max: highest, step });
  }
  const text = { ...common, maxLength: longest };
  return longest > LINE
    ? make('textarea', { ...text, rows: 4 })
    : make('input', { ...text, type: 'text' });
}
