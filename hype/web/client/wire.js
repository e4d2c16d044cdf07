/**
 * What is sent to the server and what comes back; docs/web.md has the whole in one table.
 *
 * @typedef {{ answer: string, label: string, keys: string[], cap: string,
 *   picture: number | null, aside: boolean }} Button
 * @typedef {{ id: string, progress: number | null, ahead: string[] }} Common
 * @typedef {Common & { kind: 'page', page: string, title: string, body: string[],
 *   buttons: Button[], fullscreen: boolean,
 *   picture: { id: string, alt: string } | null }} PageStep
 * @typedef {Common & { kind: 'verdict', text: string, for_ms: number, bar: boolean }} VerdictStep
 * @typedef {Common & Question & { kind: 'question', title: string, hint: string }} QuestionStep
 * @typedef {{ kind: 'number' | 'text', lowest: number | null, highest: number | null,
 *   whole: boolean, longest: number }} Entry
 * @typedef {{ most: number, across: number, up: number }} Size
 * @typedef {{ question: string, buttons: Button[], layout: 'row' | 'scale' | 'steps',
 *   slider: Slider | null, entry: Entry | null }} Question
 * @typedef {Question & { size: Size,
 *   enlarge: boolean, limit_ms: number | null, too_late: string }} Asked
 * @typedef {Common & Asked & { kind: 'scene', prompt: string, pictures: { id: string }[],
 *   word_ms: number, captions: string[], ranks: (number | null)[], moves: string[],
 *   dots: [number, number] | null, pressed: string, others: Question[], reference: [string, 'above' | 'beside'] | null }} SceneStep
 * @typedef {{ answers: string[], ends: [string, string] }} Slider
 * @typedef {{ id: string, frames: number, mask: boolean }} Exposure
 * @typedef {Common & Asked & { kind: 'flash', cues: { text: string, ms: number }[],
 *   lead: number, pictures: Exposure[] }} FlashStep
 * @typedef {{ kind: 'end', id: string, ended: string, title?: string, body?: string[],
 *   go_to?: string | null, code?: string | null, button?: string, close?: string }} EndStep
 * @typedef {PageStep | VerdictStep | QuestionStep | SceneStep | FlashStep} Step
 * @typedef {SceneStep | FlashStep} TrialStep
 * @typedef {{ answer: string, key: string, rt_ms: number, trusted?: boolean,
 *   callbacks?: [number, number][] | null, presented?: number[] | null,
 *   side?: number }} Response
 * @typedef {'asked' | 'hidden' | 'blurred' | 'left-fullscreen'} Reason
 * @typedef {{ title: string, body: string[], go_to?: string | null, code?: string | null,
 *   button?: string, again?: boolean }} Refusal
 */
import { pause } from './elements.js';
import { say } from './notice.js';
import { word } from './words.js';

const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 8000;
const PATIENCE_MS = 20_000;
const BACK_MS = 2500;
/** The server is there in a moment: what is sent is sent again. */
const PASSING = new Set([408, 425, 429, 500, 502, 503, 504]);

/** What the server does not do, and will not if it is asked again. */
export class Refused extends Error {
  /**
   * @param {string} error a word for the reason
   * @param {string} detail
   */
  constructor(error, detail = '') {
    super(detail || error);
    this.error = error;
    this.detail = detail;
  }
}

/**
 * Send a report and give what comes back. What gets lost on the way is sent again, for ever: the
 * server does nothing twice.
 * @param {string} address
 * @param {unknown} report
 * @returns {Promise<any>}
 */
export async function post(address, report) {
  const reply = await untilItComes(address, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(report),
  });
  const body = await reply.json();
  if (reply.ok) return body;
  throw new Refused(body.error, body.detail);
}

/**
 * Fetch something, as often as it takes; says meanwhile what is the matter.
 * @param {string} address
 * @param {RequestInit} request
 */
export async function untilItComes(address, request = {}) {
  for (let failures = 0;; failures += 1) {
    const wait_ms = Math.min(FIRST_WAIT_MS * 2 ** failures, LONGEST_WAIT_MS);
    try {
      const reply = await fetch(address, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
      if (!PASSING.has(reply.status)) {
        if (failures > 0) say(word('connection_back'), BACK_MS);
        return reply;
      }
      if (reply.status !== 425) say(word('busy'));
      await pause(Math.max(wait_ms, 1000 * Number(reply.headers.get('Retry-After') ?? 0)));
    } catch {
      say(word('connection_lost'));
      await online(wait_ms);
    }
  }
}

/**
 * Wait, but no longer than until the network is back.
 * @param {number} ms
 */
function online(ms) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    const back = () => (clearTimeout(timer), resolve(undefined));
    addEventListener('online', back, { once: true });
  });
}
