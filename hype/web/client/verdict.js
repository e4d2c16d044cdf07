/** Words that stand for a time, and what is seen between trials. */
import { frame, make, pause, show } from './elements.js';
import { word } from './words.js';

const PROGRESS_MS = 400;

/**
 * @param {import('./wire.js').VerdictStep} step
 * @param {AbortSignal} left
 * @returns {Promise<import('./wire.js').Response>}
 */
export async function verdict(step, left) {
  const filled = make('div', {});
  const bar = make('div', { className: 'bar', 'aria-hidden': 'true' }, filled);
  const onset = await show('verdict', make('h1', {}, step.text), step.bar && bar);
  for (let now = onset; now - onset < step.for_ms; now = await frame()) {
    left.throwIfAborted();
    filled.style.width = `${(100 * (now - onset)) / step.for_ms}%`;
  }
  return { answer: '', key: '', rt_ms: step.for_ms };
}

/**
 * Show how much of the block is done, 0 to 1.
 * @param {number} share
 */
export async function progress(share) {
  const done = Math.round(100 * share);
  const filled = make('div', {});
  filled.style.width = `${done}%`;
  const values = { 'aria-valuemin': 0, 'aria-valuemax': 100, 'aria-valuenow': done };
  const label = word('progress');
  await show(
    'between',
    make('div', { className: 'bar', role: 'progressbar', 'aria-label': label, ...values }, filled),
  );
  await pause(PROGRESS_MS);
}
