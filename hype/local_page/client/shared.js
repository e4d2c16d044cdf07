/** What the pages of studies share: news, and what commands say while they run. */
import { asked, found, words } from '../../web/client/asking.js';
import { make, pause } from '../../web/client/elements.js';

/**
 * @typedef {{ severity: string, message: string, remedy: string }} Finding
 * @typedef {(program: Program) => (Node | string)[]} Say what a program's end or course means
 * @typedef {{ lines: string[], code: number | null, stopped: boolean, result: any,
 *   begun: boolean }} Program
 */

const EVERY_MS = 500;

/** The study that a page is about. */
export const at = new URLSearchParams(location.search).get('at') ?? '.';
export const query = new URLSearchParams({ at });

/** @param {unknown} error */
export function tell(error) {
  found('news').textContent = words(error);
  found('news').className = 'mistake';
}

/** Say nothing of what was wrong before. */
export function calm() {
  found('news').textContent = '';
}

/**
 * Show the programs of a study as they go on, until all have ended.
 * @param {string} at the study
 * @param {(task: string, program: Program) => void} show
 */
export async function follow(at, show) {
  for (;;) {
    /** @type {[string, Program][]} */
    const programs = Object.entries(await asked(`/api/programs?${new URLSearchParams({ at })}`));
    for (const [task, program] of programs) show(task, program);
    if (!programs.some(([, program]) => program.code === null)) return;
    await pause(EVERY_MS);
  }
}

/**
 * Show what a program says, and what that means.
 * @param {HTMLElement} place
 * @param {Program} program
 * @param {{ ended?: Say | undefined, running?: Say | undefined, stop?: () => void }} does
 */
export function draw(place, program, { ended, running, stop } = {}) {
  const now = JSON.stringify(program);
  if (place.dataset['said'] === now) return;
  const wasSeen = 'said' in place.dataset;
  place.dataset['said'] = now;
  const wasFocused = place.contains(document.activeElement);
  const isRunning = program.code === null;
  const means = program.stopped && !isRunning
    ? ['Stopped.']
    : (isRunning ? running : ended)?.(program) ?? [];
  const isFolded = means.some((one) => one instanceof Node) && !program.code;
  const output = make(
    'details',
    { open: !isFolded, hidden: program.lines.length === 0 },
    make('summary', {}, 'What the program says'),
    make('pre', { tabIndex: 0 }, program.lines.join('\n')),
  );
  const live = isRunning ? { 'aria-live': 'polite' } : { role: 'status' };
  const said = make('div', { className: 'output', ...live }, ...means);
  const [log, before] = place.children;
  if (before?.isEqualNode(said)) return log?.replaceWith(output); // it is read aloud once
  place.replaceChildren(
    output,
    said,
    isRunning ? make('p', { className: 'soft' }, 'Running …') : '',
    isRunning && stop
      ? make('p', {}, make('button', { type: 'button', onclick: stop }, 'Stop'))
      : '',
  );
  if (wasFocused) /** @type {HTMLElement | null} */ (place.querySelector('button, a'))?.focus();
  if (isRunning && !wasSeen) place.scrollIntoView({ block: 'nearest' });
}
