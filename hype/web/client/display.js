/** What the server has to know of the window, and the whole screen. */
import { frame, make, pause } from './elements.js';
import { word } from './words.js';

const INTERVALS = 120;
/** Callbacks that are not measured: a page that has just come is still busy. */
const SETTLING = 12;
/** How long after a change of the whole screen a heading has the focus again, and what before it. */
const [AGAIN_MS, BEFORE_MS] = [500, 150];

/** Whether this browser tells when what it drew was on the screen (Element Timing). */
export const tellsPresentations = PerformanceObserver.supportedEntryTypes.includes('element');

/**
 * Say what the window is like.
 * @param {boolean} measured whether to measure how callbacks come, which takes a few seconds
 */
export async function displayReport(measured) {
  const intervals = measured ? await intervalsOf() : [];
  return {
    width: innerWidth,
    height: innerHeight,
    ratio: devicePixelRatio,
    touch: matchMedia('(pointer: coarse)').matches,
    hover: matchMedia('(any-hover: hover)').matches,
    webdriver: navigator.webdriver === true,
    agent: navigator.userAgent.slice(0, 512),
    intervals,
    presentations: tellsPresentations,
  };
}

async function intervalsOf() {
  for (let number = 0; number < SETTLING; number += 1) await frame();
  const intervals = [];
  for (let before = await frame(); intervals.length < INTERVALS;) {
    const now = await frame();
    if (now > before) intervals.push(now - before);
    before = now;
  }
  return intervals;
}

export const isWhole = () => document.fullscreenElement !== null;

/** Whether the participant wants the whole screen; kept while they are away from it. */
let wanted = true;

/** Make what asks whether to use the whole screen; null where that is not to be had. */
export function wholeScreenWish() {
  if (!document.fullscreenEnabled || isWhole()) return null;
  const box = make('input', { type: 'checkbox', checked: wanted });
  box.addEventListener('change', () => (wanted = box.checked));
  return make(
    'div',
    { className: 'wish' },
    make('label', {}, box, word('whole_screen')),
    make('small', {}, word('whole_screen_why')),
  );
}

/** Whether the window is about to become the whole screen. */
let taking = Promise.resolve();

/** Take the whole screen, if it is wanted; to be called while a key or a click is handled. */
export function takeWholeScreen() {
  if (!wanted || isWhole() || !document.fullscreenEnabled) return;
  // A browser may decline: the window does as well.
  taking = document.documentElement.requestFullscreen({ navigationUI: 'hide' }).catch(() => {});
}

/** Wait until the window is as large as it will be. */
export const windowSettled = () => taking;

export async function leaveWholeScreen() {
  if (isWhole()) await document.exitFullscreen().catch(() => {});
}

/** Orca misses a heading that gets the focus while the whole screen comes or goes. */
document.addEventListener('fullscreenchange', async () => {
  await pause(AGAIN_MS);
  const heading = document.querySelector('section h1:focus');
  const before = heading?.parentElement?.querySelector('.name');
  if (!(heading instanceof HTMLElement && before instanceof HTMLElement)) return;
  before.tabIndex = -1;
  before.focus({ preventScroll: true });
  await pause(BEFORE_MS);
  heading.focus({ preventScroll: true });
});
