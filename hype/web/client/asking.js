/** What the experimenter's pages ask of their server. */

const PATIENCE_MS = 60_000;
const CLOSED = 'This page is closed to you. Open the link again that you were given.';

/**
 * @template {HTMLElement} [Kind=HTMLElement]
 * @param {string} id
 */
export const found = (id) => /** @type {Kind} */ (document.getElementById(id));

/** What the server refused, and at which settings of a study. */
export class Wrong extends Error {
  /**
   * @param {string} detail
   * @param {number} status of the reply; 0: there was none
   * @param {[string[], string][]} mistakes
   */
  constructor(detail, status = 0, mistakes = []) {
    super(detail);
    this.status = status;
    this.mistakes = mistakes;
  }
}

/**
 * Ask for something; what the server knows at once, it says soon.
 * @param {string} address
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
export async function asked(address, request = { signal: AbortSignal.timeout(PATIENCE_MS) }) {
  const reply = await fetch(address, request).catch(() => {
    throw new Wrong('The program does not answer. Does it still run?');
  });
  if (reply.status === 404) throw new Wrong(CLOSED, 404);
  const text = await reply.text();
  const body = text.startsWith('{') ? JSON.parse(text) : { detail: text };
  if (!reply.ok) throw new Wrong(body.detail || body.error, reply.status, body.mistakes);
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
export const words = (error) => error instanceof Error ? error.message : String(error);

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}
