/** Buttons on the screen, and the wait for one of them: by key, by click, by touch. */
import { make } from './elements.js';
import { keyOf } from './keys.js';

/**
 * @typedef {import('./wire.js').Button} Button
 * @typedef {import('./wire.js').Response} Response
 * @typedef {{ button: Button, element: HTMLButtonElement, places: HTMLElement[],
 *   whenTaken?: () => void, onDrop?: (send: (event: Event, answer: string) => void, signal: AbortSignal) => void,
 *   refused?: () => boolean, mark?: (answer: string) => void }} Choice
 */

/** How long what was chosen stands framed. */
export const CHOSEN_MS = 150;
const MOUSE = 'mouse';

/** @type {((choices: Choice[]) => void) | undefined} */
let presses;

/**
 * Have somebody simulated press the buttons that come.
 * @param {(choices: Choice[]) => void} presser
 */
export function pressedBy(presser) {
  presses = presser;
}

/**
 * Make the element of an answer; `places` can be clicked on as well.
 * @param {Button} button
 * @param {HTMLElement[]} places
 * @returns {Choice}
 */
export function choiceOf(button, places = []) {
  const worded = button.label !== button.cap;
  const element = make(
    'button',
    { type: 'button', className: button.cap && worded ? 'choice' : 'choice bare' },
    button.cap && make('kbd', {}, button.cap),
    worded && make('span', { className: 'label' }, button.label),
  );
  for (const place of places) place.classList.add('clickable');
  return { button, element, places };
}

/**
 * Give how long there is for an answer to a trial, and what counts as one after it.
 * @param {import('./wire.js').TrialStep} step
 */
export const limitOf = ({ limit_ms, too_late }) =>
  limit_ms === null ? null : { limit_ms, answer: too_late };

/**
 * Wait for an answer. It counts from `onset`, by the clock of events; what was pressed before is
 * no answer. Once it was `left` nothing is taken any more.
 * @param {Choice[]} choices
 * @param {number} onset
 * @param {AbortSignal} left
 * @param {{ limit_ms: number, answer: string } | null} limit
 * @returns {Promise<Response>}
 */
export function answered(choices, onset, left, limit = null) {
  const listening = new AbortController();
  const { signal } = listening;
  left.addEventListener('abort', () => listening.abort(), { once: true });
  return new Promise((resolve) => {
    /** @type {Take} */
    const take = (choice, key, event, at = event.timeStamp) => {
      if (signal.aborted || at < onset || choice.refused?.()) return;
      listening.abort();
      for (const framed of [choice.element, ...choice.places]) framed.classList.add('chosen');
      choice.whenTaken?.();
      const trusted = event.isTrusted;
      resolve({ answer: choice.button.answer, key, rt_ms: at - onset, trusted });
    };
    presses?.(choices);
    listenToKeys(choices, take, signal);
    for (const choice of choices) {
      listenToClicks(choice, take, signal);
      choice.onDrop?.((event, answer) => {
        take(
          { ...choice, button: { ...choice.button, answer }, refused: () => !answer },
          MOUSE,
          event,
        );
      }, signal);
    }
    if (limit) {
      const passed = () => {
        listening.abort();
        resolve({ answer: limit.answer, key: '', rt_ms: limit.limit_ms });
      };
      const timer = setTimeout(passed, onset + limit.limit_ms - performance.now());
      signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
    }
  });
}

/** @typedef {(choice: Choice, key: string, event: Event, at?: number) => void} Take */

/**
 * @param {Choice[]} choices
 * @param {Take} take
 * @param {AbortSignal} signal
 */
function listenToKeys(choices, take, signal) {
  addEventListener('keydown', (event) => {
    if (isOfItsTarget(event)) return;
    for (const choice of choices) {
      const key = keyOf(event, choice.button.keys);
      if (key === undefined) continue;
      event.preventDefault();
      take(choice, key, event);
      return;
    }
  }, { signal });
}

/**
 * A click counts from when the button or the finger went down.
 * @param {Choice} choice
 * @param {Take} take
 * @param {AbortSignal} signal
 */
function listenToClicks(choice, take, signal) {
  for (const place of [choice.element, ...choice.places]) {
    let down = Infinity;
    place.addEventListener('pointerdown', (event) => (down = event.timeStamp), { signal });
    place.addEventListener('click', (event) => {
      const byKey = event.detail === 0;
      const at = byKey ? event.timeStamp : Math.min(down, event.timeStamp);
      take(choice, byKey ? 'return' : MOUSE, event, at);
    }, { signal });
  }
}

/**
 * Whether a key does what it does by itself: it presses the button that has the focus.
 * @param {KeyboardEvent} event
 */
function isOfItsTarget(event) {
  const presses = event.key === 'Enter' || event.key === ' ';
  const pressed = 'button, input:not([type=range]), a';
  return presses && event.target instanceof Element && event.target.matches(pressed);
}
