/** A simulated participant at a real page: what they answer the server says, the rest is as it is. */
import { pause } from './elements.js';
import { post } from './wire.js';

/** How long a simulated participant looks at what is not a trial; in a pilot somebody reads along. */
const READING_MS = document.querySelector('.pilot') ? 2500 : 300;

/**
 * Give what presses one of a step's buttons, when the participant would.
 * @param {string} seat
 * @param {import('./wire.js').Step} step
 * @returns {(choices: import('./answering.js').Choice[]) => Promise<void>}
 */
export const presser = (seat, step) => async (choices) => {
  const drawn = await post('api/simulated', { seat, step: step.id });
  await pause(drawn.rt_ms || READING_MS);
  const entry = document.querySelector('#entry');
  if (entry instanceof HTMLInputElement) entry.value = drawn.answer;
  for (const choice of choices) choice.mark?.(drawn.answer);
  // Of two without words the last one withholds them.
  choices.findLast(({ button }) => button.answer === drawn.answer)?.element.click();
};
