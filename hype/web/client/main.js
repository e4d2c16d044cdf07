/** A session in a browser: one step comes, one answer goes. */
import { CHOSEN_MS, pressedBy } from './answering.js';
import { displayReport } from './display.js';
import { make, pause, prepare, reveal, show } from './elements.js';
import { end, obstacle, reload } from './end.js';
import { flash } from './flash.js';
import { page, question } from './page.js';
import { guardHistory, Left, paused, unlessLeft } from './pauses.js';
import { fetchAhead, keepOnly } from './pictures.js';
import { scene } from './scene.js';
import { presser } from './simulated.js';
import { progress, verdict } from './verdict.js';
import { post, Refused } from './wire.js';
import { pageOf, word } from './words.js';

/**
 * @typedef {import('./wire.js').Step} Step
 * @typedef {import('./wire.js').EndStep} EndStep
 * @typedef {import('./wire.js').Response} Response
 * @typedef {import('./words.js').Words} Words
 */

const isSimulated = document.documentElement.dataset.simulated === 'true';
const flashes = document.documentElement.dataset.flashes === 'true';

/** Sit down, and go from step to step. */
async function session() {
  const waiting = word(flashes ? 'measuring' : 'loading');
  await show('page', make('h1', { className: 'waiting' }, waiting));
  const name = crypto.getRandomValues(new Uint32Array(4)).join('-');
  const seated = await post('api/sit', { page: name, display: await displayReport(flashes) });
  if (seated.refused) {
    const again = { label: word('resume'), does: begin };
    await obstacle(seated.refused, seated.refused.again ? again : null);
    return;
  }
  /** @type {{ step: Step | EndStep }} */
  let { step } = seated;
  while (step.kind !== 'end') ({ step } = await performed(seated, step));
  await end(step);
}

/**
 * Show a step, and give what follows it.
 * @param {{ seat: string, consent: Words | null }} seated
 * @param {Step} step
 * @returns {Promise<{ step: Step | EndStep }>}
 */
async function performed({ seat, consent }, step) {
  const isTrial = step.kind === 'scene' || step.kind === 'flash';
  const isAttentive = step.kind === 'verdict' || (isTrial && !step.entry);
  const reports = { seat, step: step.id };
  fetchFor(step);
  if (isSimulated) pressedBy(presser(seat, step));
  try {
    const response = await unlessLeft(isAttentive, async (left) => {
      if (isTrial && step.progress !== null) await progress(step.progress);
      return presented(step, left);
    });
    const chosen = pause(isTrial ? CHOSEN_MS : 0);
    const next = await post('api/step', { ...reports, ...response });
    await chosen;
    return next;
  } catch (error) {
    if (!(error instanceof Left)) throw error;
    const since = performance.now();
    reveal(prepare('blank'));
    if ((await paused(error.reason, consent)) === 'stop') return post('api/stop', { seat });
    const for_ms = performance.now() - since;
    return post('api/pause', { ...reports, for_ms, why: error.reason });
  }
}

/**
 * @param {Step} step
 * @param {AbortSignal} left
 * @returns {Promise<Response>}
 */
function presented(step, left) {
  switch (step.kind) {
    case 'page':
      return page(step, left);
    case 'question':
      return question(step, left);
    case 'verdict':
      return verdict(step, left);
    case 'scene':
      return scene(step, left);
    case 'flash':
      return flash(step, left);
  }
}

/**
 * Fetch what a step needs, and what will be needed, unless an exposure is near.
 * @param {Step} step
 */
function fetchFor(step) {
  const own = 'pictures' in step ? step.pictures.map(({ id }) => id) : [];
  const wanted = [...own, ...step.ahead];
  if (wanted.length > 0) keepOnly(wanted);
  fetchAhead(step.kind === 'flash' ? own : wanted);
}

/** @type {Record<string, string>} the pages that say why it does not go on, by the server's words */
const PAGES = { moved: 'moved', gone: 'gone', unfit: 'unsteady_display' };

/** Begin, and say what is the matter where it cannot go on. */
async function begin() {
  try {
    await session();
  } catch (error) {
    const reason = error instanceof Refused ? error.error : 'broken';
    const here = { label: word('go_on_here'), does: begin };
    const again = { label: word('reload'), does: reload };
    await obstacle(pageOf(PAGES[reason] ?? 'broken'), reason === 'moved' ? here : again);
    if (reason === 'broken') throw error;
  }
}

if (parent === window) guardHistory(); // in a frame the page around it goes back
addEventListener('contextmenu', (event) => event.preventDefault());
addEventListener('dragstart', (event) => event.preventDefault());
if ('createImageBitmap' in window) await begin();
else await obstacle(pageOf('old_browser'));
