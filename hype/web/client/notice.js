/** One line at the window's edge that says what is happening, for screen readers as well. */

const line = /** @type {HTMLElement} */ (document.getElementById('notice'));
/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;

/**
 * Say something until something else is said, or for a time; '' takes it away.
 * @param {string} text
 * @param {number} for_ms
 */
export function say(text, for_ms = 0) {
  clearTimeout(timer);
  if (line.textContent !== text) line.textContent = text;
  if (for_ms) timer = setTimeout(say, for_ms, '');
}
