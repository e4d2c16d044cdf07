/** What makes a session stand still, and how it goes on. */
import { choiceOf } from './answering.js';
import { isWhole, takeWholeScreen, wholeScreenWish } from './display.js';
import { make, paragraphs } from './elements.js';
import { keyOf } from './keys.js';
import { pageOf, word } from './words.js';

/** @typedef {import('./wire.js').Reason} Reason */

/** A step was left before it was answered. */
export class Left extends Error {
  /** @param {Reason} reason */
  constructor(reason) {
    super(reason);
    this.reason = reason;
  }
}

const PAUSE_KEY = document.documentElement.dataset['pause'] ?? 'escape';
const ASKED = 'pause-asked';
/** @type {Partial<Record<Reason, string>>} */
const SAID = { hidden: 'was_away', blurred: 'was_away', 'left-fullscreen': 'left_whole_screen' };

/** Whether another window has the keyboard. */
let away = false;
addEventListener('blur', () => (away = true));
for (const sign of ['focus', 'keydown', 'pointerdown']) {
  addEventListener(sign, () => (away = false), { capture: true });
}

/**
 * Do something that is left when the participant goes elsewhere or asks for a pause.
 * @template T
 * @param {boolean} attentive whether it is left also when nobody looks at it
 * @param {(left: AbortSignal) => Promise<T>} doing
 * @returns {Promise<T>} raises `Left`
 */
export async function unlessLeft(attentive, doing) {
  const leaving = new AbortController();
  const over = new AbortController();
  const { signal } = over;
  /** @param {Reason} reason */
  const leave = (reason) => leaving.abort(new Left(reason));
  addEventListener('popstate', () => leave('asked'), { signal });
  if (attentive) {
    if (document.hidden) leave('hidden');
    else if (away) leave('blurred');
    addEventListener('blur', () => leave('blurred'), { signal });
    addEventListener(ASKED, () => leave('asked'), { signal });
    addEventListener('keydown', (event) => keyOf(event, [PAUSE_KEY]) && leave('asked'), { signal });
    document.addEventListener('visibilitychange', () => leave('hidden'), { signal });
    document.addEventListener('fullscreenchange', () => isWhole() || leave('left-fullscreen'), {
      signal,
    });
  }
  try {
    leaving.signal.throwIfAborted();
    return await Promise.race([doing(leaving.signal), leftBy(leaving.signal)]);
  } finally {
    over.abort();
  }
}

/**
 * @param {AbortSignal} signal
 * @returns {Promise<never>}
 */
const leftBy = (signal) =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  });

/** Make the button of a pause, for those who have no keys. */
export function pauseButton() {
  const label = word('pause');
  const button = make('button', { type: 'button', className: 'pause', 'aria-label': label });
  button.addEventListener('click', () => dispatchEvent(new Event(ASKED)));
  return button;
}

/**
 * Cover everything until the participant goes on, or stops here.
 * @param {Reason} reason
 * @param {import('./words.js').Words | null} consent what they agreed to
 * @returns {Promise<'on' | 'stop'>}
 */
export async function paused(reason, consent) {
  const { title, body } = pageOf('paused');
  const why = SAID[reason];
  const goOn = plain(word('resume'));
  const stop = plain(word('quit'));
  const dialog = make(
    'dialog',
    { className: 'page', 'aria-labelledby': 'paused' },
    make('h1', { id: 'paused' }, title),
    why && make('p', { className: 'why' }, word(why)),
    paragraphs(body),
    wholeScreenWish(),
    make('div', { className: 'answers' }, goOn, stop),
    consent && make(
      'details',
      {},
      make('summary', {}, word('read_consent')),
      paragraphs([consent.title, ...consent.body]),
    ),
  );
  dialog.addEventListener('cancel', (event) => event.preventDefault());
  document.body.append(dialog);
  dialog.showModal();
  goOn.focus();
  const chosen = await new Promise((resolve) => {
    goOn.addEventListener('click', () => {
      takeWholeScreen();
      resolve('on');
    });
    stop.addEventListener('click', () => resolve('stop'));
  });
  dialog.remove();
  return chosen;
}

/** @param {string} label */
const plain = (label) =>
  choiceOf({ answer: '', label, keys: [], cap: '', picture: null, aside: false }).element;

/** Keep the button that goes back from leading out of a session. */
export function guardHistory() {
  history.pushState(null, '');
  addEventListener('popstate', () => history.pushState(null, ''));
}
