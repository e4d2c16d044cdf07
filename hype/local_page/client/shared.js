/** What the pages share: asking the program, and showing what its commands say. */
import { make, pause } from '../../web/client/elements.js';

/**
 * @typedef {{ severity: string, message: string, remedy: string }} Finding
 * @typedef {(program: Program) => (Node | string)[]} Say what a program's end or course means
 * @typedef {{ lines: string[], code: number | null, stopped: boolean, result: any,
 *   began_unix_s: number }} Program
 */

const EVERY_MS = 500;

/** The study that a page is about. */
export const at = new URLSearchParams(location.search).get('at') ?? '.';
export const query = new URLSearchParams({ at });

/**
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 */
export const found = (id) => /** @type {Kind} */ (document.getElementById(id));

/** What the program refused, and at which settings. */
export class Wrong extends Error {
  /**
   * @param {string} detail
   * @param {[string[], string][]} mistakes
   */
  constructor(detail, mistakes = []) {
    super(detail);
    this.mistakes = mistakes;
  }
}

/**
 * @param {string} address
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
export async function asked(address, request = {}) {
  const reply = await fetch(address, request).catch(() => {
    throw new Wrong('The program does not answer: has hype open been ended?');
  });
  const said = await reply.text();
  const body = said.startsWith('{') ? JSON.parse(said) : { detail: said };
  if (!reply.ok) throw new Wrong(body.detail, body.mistakes);
  return body;
}

/**
 * @param {string} address
 * @param {object} body
 */
export const sent = (address, body) =>
  asked(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });

/** @param {unknown} error */
export function tell(error) {
  found('news').textContent = error instanceof Error ? error.message : String(error);
  found('news').className = 'mistake';
  found('news').scrollIntoView({ block: 'nearest' });
}

/** Say nothing of what was wrong before. */
export function calm() {
  found('news').textContent = '';
}

/**
 * Show programs as they go on, until all have ended.
 * @param {() => Promise<Record<string, Program | null>>} look
 * @param {(name: string, program: Program) => void} show
 */
export async function follow(look, show) {
  for (;;) {
    const programs = Object.entries(await look());
    for (const [name, program] of programs) if (program) show(name, program);
    if (!programs.some(([, program]) => program && program.code === null)) return;
    await pause(EVERY_MS);
  }
}

/**
 * Show what a program says, and in the end what came of it.
 * @param {HTMLElement} place
 * @param {Program} program
 * @param {{ ended?: Say | undefined, running?: Say | undefined, stop?: () => void }} does
 */
export function draw(place, program, { ended = () => [], running: during = () => [], stop } = {}) {
  const now = JSON.stringify(program);
  if (place.dataset['said'] === now) return;
  place.dataset['said'] = now;
  const focused = place.contains(document.activeElement);
  const running = program.code === null;
  const end = () => program.stopped ? ['Stopped.'] : ended(program);
  const means = running ? during(program) : end();
  const parts = /** @type {(Node | string)[]} */ ([]);
  if (program.lines.length > 0) {
    const text = make(
      'pre',
      { tabIndex: 0, role: 'group', 'aria-label': 'What the program says' },
      program.lines.join('\n'),
    );
    const isPlain = means.length > 0 && !program.code;
    const summary = make('summary', {}, 'What the program says');
    parts.push(isPlain ? make('details', {}, summary, text) : text);
  }
  if (running) {
    parts.push(...means);
    const since = new Date(program.began_unix_s * 1000).toLocaleTimeString('en-GB');
    parts.push(make('p', { className: 'soft' }, `Running since ${since} …`));
    if (stop) parts.push(make('p', {}, make('button', { type: 'button', onclick: stop }, 'Stop')));
  } else {
    parts.push(make('div', { className: 'output', role: 'status' }, ...means));
  }
  place.replaceChildren(...parts);
  if (focused) /** @type {HTMLElement | null} */ (place.querySelector('button, a'))?.focus();
  if (place.dataset['began'] === String(program.began_unix_s)) return;
  place.dataset['began'] = String(program.began_unix_s);
  if (running) place.scrollIntoView({ block: 'nearest' });
}
