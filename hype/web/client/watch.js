/** The experimenter's page: what the server says of the study, drawn again every few seconds. */
import { make, pause } from './elements.js';

/**
 * @typedef {{ unix_s: number }} Moment
 * @typedef {{ free: string, simulated: boolean }} Place somebody holds it, and it can be freed
 * @typedef {string | number | Moment | Place} Cell
 * @typedef {{ name: string, number: boolean }} Column
 * @typedef {{ title: string, columns: Column[], rows: Cell[][], lines: string[] }} Part
 * @typedef {{ simulated: boolean, came: number, facts: [string, string][], warnings: string[],
 *   parts: Part[] }} Side
 * @typedef {{ open: boolean, closed_unix_s: number | null }} Doors
 * @typedef {{ study: string, looked_unix_s: number, sides: Side[], doors?: Doors }} State
 */

const EVERY_MS = 3000;
const PATIENCE_MS = 60_000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

/** @param {string} id */
const found = (id) => /** @type {HTMLElement} */ (document.getElementById(id));
const news = found('news');
const sign = found('sign');
const sides = found('sides');
const turn = /** @type {HTMLButtonElement} */ (found('doors'));

let isOpen = true;
/** What is drawn, by where it stands: it is left alone as long as it says the same. */
const drawn = new Map();

/** The server does not know this browser any more. */
class Gone extends Error {}

/**
 * @param {string} address
 * @param {RequestInit} request
 * @returns {Promise<any>}
 */
async function asked(address, request = {}) {
  const reply = await fetch(address, { ...request, signal: AbortSignal.timeout(PATIENCE_MS) });
  if (reply.status === 404) throw new Gone();
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.detail || body.error);
  return body;
}

/**
 * @param {string} what
 * @param {object} report
 */
function sent(what, report) {
  const headers = { 'Content-Type': 'application/json' };
  const address = `${location.pathname}/${what}${location.search}`;
  return asked(address, { method: 'POST', headers, body: JSON.stringify(report) });
}

/** Look again and again, as long as somebody sees it. */
async function watch() {
  let heard_ms = Date.now();
  for (;;) {
    try {
      draw(await asked(`${location.pathname}/state${location.search}`));
      heard_ms = Date.now();
    } catch (error) {
      if (error instanceof Gone) {
        say(news, 'This page is closed to you. Open the link again that was printed.');
        turn.hidden = true;
        return;
      }
      const why = error instanceof TypeError ? 'The server does not answer' : String(error);
      say(news, `${why}. What is shown is of ${clock(heard_ms / 1000)}; it is tried again.`);
    }
    await pause(EVERY_MS);
    if (document.hidden) await seen();
  }
}

const seen = () =>
  new Promise((resolve) => addEventListener('visibilitychange', resolve, { once: true }));

/** @param {State} state */
function draw(state) {
  say(news, state.sides.length > 0 ? 'Live.' : 'Live. Nobody has come yet.');
  if (state.doors) drawDoors(state.doors);
  state.sides.forEach((side) => drawSide(side));
  for (const time of document.querySelectorAll('time')) {
    const unix_s = Date.parse(time.dateTime) / 1000;
    say(time, ago(unix_s, state.looked_unix_s));
  }
}

/** @param {Doors} doors */
function drawDoors(doors) {
  isOpen = doors.open;
  const since = doors.closed_unix_s === null ? '' : ` since ${clock(doors.closed_unix_s)}`;
  say(
    sign,
    isOpen ? 'The doors are open.' : `The doors are closed${since}. People who have begun go on.`,
  );
  sign.classList.toggle('closed', !isOpen);
  say(turn, isOpen ? 'Close the doors' : 'Reopen the doors');
  turn.hidden = false;
}

/** @param {Side} side */
function drawSide(side) {
  const who = side.simulated ? 'simulated' : 'people';
  const section = placed(who, sides, () => newSide(side));
  drawFacts(who, section, side.facts);
  const warnings = placed(`${who} warnings`, section, () => make('div', { className: 'warnings' }));
  again(`${who} warnings`, warnings, side.warnings, (text) => make('p', {}, text));
  for (const part of side.parts) {
    const name = `${who} ${part.title}`;
    const place = placed(name, section, () => newPart(part, side.simulated));
    drawPart(name, place, part);
  }
}

/** @param {Side} side */
function newSide(side) {
  const title = side.simulated ? 'Simulated evaluators: nobody real was asked' : 'People';
  const which = new URLSearchParams(location.search);
  if (side.simulated) which.set('simulated', '1');
  const address = `${location.pathname}/report?${which}`;
  const whose = side.simulated ? 'The report of these' : 'The report';
  return make(
    'section',
    { className: side.simulated ? 'simulated' : 'people' },
    make('h2', {}, title),
    make(
      'p',
      { className: 'report' },
      make('a', { href: address, target: '_blank' }, `${whose} as it is now`),
      ' (it is made anew, in a moment or some minutes)',
    ),
  );
}

/**
 * Draw the numbers; those that change are read out.
 * @param {string} who
 * @param {HTMLElement} section
 * @param {[string, string][]} facts
 */
function drawFacts(who, section, facts) {
  const list = placed(
    `${who} facts`,
    section,
    () => make('dl', { 'aria-live': 'polite', className: 'facts' }),
  );
  for (const [name, value] of facts) {
    const fact = placed(
      `${who} fact ${name}`,
      list,
      () => make('div', {}, make('dt', {}, name), make('dd', {})),
    );
    say(/** @type {HTMLElement} */ (fact.lastElementChild), value);
  }
}

/**
 * @param {Part} part
 * @param {boolean} simulated
 */
function newPart(part, simulated) {
  const caption = simulated ? `${part.title}, simulated` : part.title;
  const heads = part.columns.map(({ name, number }) =>
    make('th', { scope: 'col', className: number ? 'number' : '' }, name)
  );
  const table = make(
    'table',
    {},
    make('caption', { className: 'unseen' }, caption),
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody'),
  );
  const scrolled = make(
    'div',
    { className: 'scrolled', role: 'region', 'aria-label': caption, tabIndex: 0 },
    table,
  );
  const content = [make('div', { className: 'lines' }), scrolled];
  return make('div', { className: 'part' }, make('h3', {}, part.title), ...content);
}

/**
 * @param {string} name
 * @param {HTMLElement} place
 * @param {Part} part
 */
function drawPart(name, place, part) {
  const lines = /** @type {HTMLElement} */ (place.querySelector('.lines'));
  again(`${name} lines`, lines, part.lines, (text) => make('p', {}, text));
  const scrolled = /** @type {HTMLElement} */ (place.querySelector('.scrolled'));
  scrolled.hidden = part.rows.length === 0;
  const body = /** @type {HTMLElement} */ (place.querySelector('tbody'));
  again(`${name} rows`, body, part.rows, (row) => rowOf(row, part.columns));
}

/**
 * @param {Cell[]} cells
 * @param {Column[]} columns
 */
function rowOf(cells, columns) {
  const [first, ...rest] = cells.map((cell) => {
    if (typeof cell !== 'object') return `${cell}`;
    return 'free' in cell ? held(cell) : moment(cell);
  });
  const others = rest.map((cell, place) =>
    make('td', { className: columns[place + 1]?.number ? 'number' : '' }, cell)
  );
  const number = columns[0]?.number ? 'number' : '';
  return make('tr', {}, make('th', { scope: 'row', className: number }, first), ...others);
}

/** @param {Place} place */
function held(place) {
  const button = make('button', {
    type: 'button',
    'aria-label': `Free the place of ${place.free}`,
  });
  button.textContent = 'Free';
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await sent('free', { evaluator: place.free, simulated: place.simulated });
      say(news, `The place of ${place.free} is free.`);
    } catch (error) {
      say(news, `The place of ${place.free} is not freed: ${error}`);
      button.disabled = false;
    }
  });
  return make('span', {}, 'held ', button);
}

/** @param {Moment} moment */
function moment({ unix_s }) {
  const title = new Date(unix_s * 1000).toLocaleString();
  return make('time', { dateTime: new Date(unix_s * 1000).toISOString(), title });
}

/**
 * Give what stands under a name, which is made the first time.
 * @template {HTMLElement} Kind
 * @param {string} name
 * @param {HTMLElement} within
 * @param {() => Kind} made
 * @returns {Kind}
 */
function placed(name, within, made) {
  let element = drawn.get(name);
  if (!element) {
    element = made();
    within.append(element);
    drawn.set(name, element);
  }
  return element;
}

/**
 * Fill an element anew, if what it says is not what it said.
 * @template One
 * @param {string} name
 * @param {HTMLElement} element
 * @param {One[]} content
 * @param {(one: One) => HTMLElement} made
 */
function again(name, element, content, made) {
  const now = JSON.stringify(content);
  if (drawn.get(`${name}, said`) === now) return;
  drawn.set(`${name}, said`, now);
  element.replaceChildren(...content.map(made));
}

/**
 * @param {HTMLElement} element
 * @param {string} text
 */
function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/**
 * Say how long ago something was, or when, if that is long.
 * @param {number} unix_s
 * @param {number} now_unix_s
 */
function ago(unix_s, now_unix_s) {
  const past_s = now_unix_s - unix_s;
  if (past_s < 2) return 'now';
  if (past_s < MINUTE_S) return `${Math.round(past_s)} s ago`;
  if (past_s < HOUR_S) return `${Math.floor(past_s / MINUTE_S)} min ago`;
  return clock(unix_s, past_s >= DAY_S);
}

/**
 * @param {number} unix_s
 * @param {boolean} withDay
 */
function clock(unix_s, withDay = false) {
  /** @type {Intl.DateTimeFormatOptions} */
  const time = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
  const day = withDay ? /** @type {const} */ ({ day: 'numeric', month: 'short' }) : {};
  return new Date(unix_s * 1000).toLocaleString('en-GB', { ...day, ...time });
}

turn.addEventListener('click', async () => {
  turn.disabled = true;
  try {
    drawDoors((await sent('doors', { open: !isOpen })).doors);
  } catch (error) {
    say(news, `The doors are as they were: ${error}`);
  } finally {
    turn.disabled = false;
    turn.focus();
  }
});
await watch();
