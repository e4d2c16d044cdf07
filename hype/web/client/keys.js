/** What keys are called in studies. */

/** @type {Record<string, string>} */
const NAMES = {
  ' ': 'space',
  Enter: 'return',
  Escape: 'escape',
  Tab: 'tab',
  Backspace: 'backspace',
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
  ',': 'comma',
  '.': 'period',
  '/': 'slash',
  ';': 'semicolon',
  '-': 'minus',
};
/** @type {Record<string, string>} */
const PLACES = {
  Comma: 'comma',
  Period: 'period',
  Slash: 'slash',
  Semicolon: 'semicolon',
  Minus: 'minus',
};
const LATIN = /^[a-z0-9]$/;

/**
 * Give what a key may be called: by what it writes, and where that is no Latin letter or digit, by
 * its place, so that a keyboard of another script has an F as well.
 * @param {KeyboardEvent} event
 * @returns {string[]}
 */
export function namesOf(event) {
  const pad = /^Numpad(\d)$/.exec(event.code);
  if (pad) return [`num_${pad[1]}`];
  const written = NAMES[event.key] ?? event.key.toLowerCase();
  if (LATIN.test(written)) return [written];
  const place = /^(?:Key|Digit)(\w)$/.exec(event.code)?.[1]?.toLowerCase() ?? PLACES[event.code];
  return place ? [written, place] : [written];
}

/**
 * Give which of some keys was pressed; undefined where none was, or with others.
 * @param {KeyboardEvent} event
 * @param {readonly string[]} keys
 */
export function keyOf(event, keys) {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey) return undefined;
  return namesOf(event).find((name) => keys.includes(name));
}
