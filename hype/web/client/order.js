/** The order so far, in a row: a tap moves an image one place up, a drag to any place. */
import { choiceOf } from './answering.js';
import { make } from './elements.js';
import { word } from './words.js';

/** @typedef {import('./answering.js').Choice} Choice */

/** A movement of this many CSS pixels or more is a drag, not a tap. */
const DRAGGED = 8;

/**
 * Make a button for each image that has a place, the best one first.
 * @param {import('./wire.js').SceneStep} step
 * @returns {Choice[]}
 */
export function placesOf({ captions, ranks, moves }) {
  const tiers = [...new Set(ranks)].filter((rank) => rank !== null).sort((one, two) => one - two);
  return tiers.flatMap((rank, tier) => {
    const letters = captions.filter((_, place) => ranks[place] === rank);
    return letters.map((letter) => {
      const up = `${letter}${tier + (letters.length > 1 ? 1 : 0)}`;
      const answer = moves.includes(up) ? up : '';
      const keys = [letter.toLowerCase()];
      const choice = choiceOf({
        answer,
        label: '',
        keys,
        cap: '',
        picture: null,
        aside: false,
      });
      choice.element.append(make('b', {}, `${rank}`), letter);
      choice.element.setAttribute('aria-label', `${letter}: ${word('rank', { rank })}`);
      choice.element.dataset['place'] = `${tier + 1}`;
      choice.refused = () => !choice.button.answer;
      choice.onDrop = (send, signal) => drag(choice.element, letter, moves, send, signal);
      return choice;
    });
  });
}

/**
 * Make the row, which has a place for each image from the beginning.
 * @param {string[]} captions
 * @param {Choice[]} places
 */
export function orderOf(captions, places) {
  const empty = captions.slice(places.length).map(() => make('i'));
  const label = { role: 'group', 'aria-label': word('order') };
  return make(
    'div',
    { className: 'order', ...label },
    ...places.map((one) => one.element),
    ...empty,
  );
}

/**
 * Let an image be dragged onto the place of another one, or onto an empty one, which is the last.
 * @param {HTMLElement} element
 * @param {string} letter
 * @param {string[]} moves
 * @param {(event: Event, answer: string) => void} send
 * @param {AbortSignal} signal
 */
function drag(element, letter, moves, send, signal) {
  /** @type {PointerEvent | null} */
  let from = null;
  let dragged = false;
  element.addEventListener('pointerdown', (event) => {
    [from, dragged] = [event, false];
    element.setPointerCapture(event.pointerId);
  }, { signal });
  element.addEventListener('pointermove', (event) => {
    if (!from) return;
    const [x, y] = [event.clientX - from.clientX, event.clientY - from.clientY];
    dragged ||= Math.hypot(x, y) > DRAGGED;
    element.classList.toggle('dragged', dragged);
    if (dragged) element.style.translate = `${x}px ${y}px`;
  }, { signal });
  for (const end of ['pointerup', 'pointercancel']) {
    element.addEventListener(end, (event) => {
      from = null;
      if (!dragged) return;
      if (end === 'pointerup') send(event, dropped(event, letter, moves));
      element.classList.remove('dragged');
      element.style.translate = '';
    }, { signal });
  }
  // The click that ends a drag is no tap.
  element.addEventListener('click', (event) => {
    if (dragged && event.detail > 0) event.stopImmediatePropagation();
  }, { capture: true, signal });
}

/**
 * Give the move to where an image was dropped; nothing where that is no other place.
 * @param {Event} event
 * @param {string} letter
 * @param {string[]} moves
 */
function dropped(event, letter, moves) {
  const { clientX, clientY } = /** @type {PointerEvent} */ (event);
  const target = document.elementFromPoint(clientX, clientY)?.closest('.order > *');
  if (!target) return '';
  const own = moves.filter((move) => move.startsWith(letter));
  if (target.matches('i')) return own.at(-1) ?? '';
  const move = `${letter}${target instanceof HTMLElement ? target.dataset['place'] : ''}`;
  return own.includes(move) ? move : '';
}
