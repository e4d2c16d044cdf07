/** A study while it runs: its doors, who is on, how far it is; drawn again every few seconds. */
import { askedNow, found, say, sent, words } from './asking.js';
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
 * @typedef {{ looked_unix_s: number, sides: Side[], doors: Doors }} State
 */

const EVERY_MS = 3000;
const MINUTE_S = 60;
const HOUR_S = 3600;
const DAY_S = 86_400;

const place = found('live');
/** Only people's places are shown: what else is known stands on a page of its own. */
const isBrief = 'brief' in place.dataset;
const news = make('p', { className: 'soft', role: 'status' }, 'One moment.');
const sign = make('p', { id: 'sign', role: 'status' });
const turn = make('button', { id: 'doors', type: 'button', hidden: true });
place.append(news, make('div', { className: 'doors' }, sign, turn));

let isOpen = true;
/** @type {Map<string, HTMLElement>} what is drawn, by its name */
const drawn = new Map();
/** @type {WeakMap<HTMLElement, string>} what an element was filled with */
const contents = new WeakMap();

/** @param {string} what */
const addressOf = (what) => `/watch/${what}${location.search}`;

/** Look again and again, as long as somebody sees it. */
async function watch() {
  let heard_ms = Date.now();
  for (;;) {
    try {
      draw(await askedNow(addressOf('state')));
      heard_ms = Date.now();
    } catch (error) {
      const { message, status } = /** @type {import('./asking.js').Wrong} */ (error);
      if (status === 403 || status === 404) {
        say(news, message);
        turn.hidden = true;
        return;
      }
      say(news, `${message} What is shown is of ${clock(heard_ms / 1000)}; it is tried again.`);
    }
    await pause(EVERY_MS);
    if (document.hidden) {
      await new Promise((seen) => addEventListener('visibilitychange', seen, { once: true }));
    }
  }
}

/** @param {State} state */
function draw(state) {
  say(news, state.sides.length > 0 ? 'Live.' : 'Live. Nobody has come yet.');
  drawDoors(state.doors);
  state.sides.filter((side) => !(isBrief && side.simulated)).forEach(drawSide);
  for (const time of document.querySelectorAll('time')) {
    say(time, ago(Date.parse(time.dateTime) / 1000, state.looked_unix_s));
  }
}

/** @param {Doors} doors */
function drawDoors(doors) {
  isOpen = doors.open;
  const since = doors.closed_unix_s === null ? '' : ` since ${clock(doors.closed_unix_s)}`;
  say(
    sign,
    isOpen
      ? 'The doors are open to newcomers.'
      : `The doors are closed${since}. People who have begun go on.`,
  );
  sign.classList.toggle('closed', !isOpen);
  say(turn, isOpen ? 'Close the doors' : 'Reopen the doors');
  turn.hidden = false;
}

/** @param {Side} side */
function drawSide({ simulated, facts, warnings, parts }) {
  const who = simulated ? 'simulated' : 'people';
  const section = drawOnce(who, place, () => sectionOf(simulated));
  const list = { 'aria-live': 'polite', className: 'facts' };
  const places = drawOnce(`${who} facts`, section, () => make('dl', list));
  for (const [name, value] of facts) {
    const made = () => make('div', {}, make('dt', {}, name), make('dd', {}));
    const fact = drawOnce(`${who} fact ${name}`, places, made);
    say(/** @type {HTMLElement} */ (fact.lastElementChild), value);
  }
  if (isBrief) return;
  const box = drawOnce(`${who} warnings`, section, () => make('div', { className: 'warnings' }));
  fill(box, warnings, (text) => make('p', {}, text));
  for (const part of parts) {
    const element = drawOnce(`${who} ${part.title}`, section, () => partOf(part, simulated));
    const [lines, scrolled, body] = ['.lines', '.scrolled', 'tbody'].map((
      selector,
    ) => /** @type {HTMLElement} */ (element.querySelector(selector)));
    if (!lines || !scrolled || !body) continue;
    fill(lines, part.lines, (text) => make('p', {}, text));
    scrolled.hidden = part.rows.length === 0;
    fill(body, part.rows, (row) => rowOf(row, part.columns));
  }
}

/** @param {boolean} simulated */
function sectionOf(simulated) {
  const title = simulated ? 'Simulated evaluators: nobody real was asked' : 'People';
  const which = new URLSearchParams(location.search);
  if (simulated) which.set('simulated', '1');
  const link = { href: `/watch/report?${which}`, target: '_blank' };
  const label = `${simulated ? 'The report of these' : 'The report'} as it is now`;
  const late = ' (it is made anew, in a moment or some minutes)';
  return make(
    'section',
    { className: simulated ? 'simulated' : 'people' },
    make('h2', {}, title),
    !isBrief && make('p', { className: 'soft' }, make('a', link, label), late),
  );
}

/**
 * @param {Part} part
 * @param {boolean} simulated
 */
function partOf({ title, columns }, simulated) {
  const caption = simulated ? `${title}, simulated` : title;
  const heads = columns.map(({ name, number }) =>
    make('th', { scope: 'col', className: number ? 'number' : '' }, name)
  );
  const table = make(
    'table',
    {},
    make('caption', { className: 'unseen' }, caption),
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody'),
  );
  const region = { role: 'region', 'aria-label': caption, tabIndex: 0 };
  return make(
    'div',
    { className: 'part' },
    make('h3', {}, title),
    make('div', { className: 'lines' }),
    make('div', { className: 'scrolled', ...region }, table),
  );
}

/**
 * @param {Cell[]} cells
 * @param {Column[]} columns
 */
function rowOf(cells, columns) {
  const row = cells.map((cell, at) => {
    const className = columns[at]?.number ? 'number' : '';
    let content = /** @type {HTMLElement | string} */ (`${cell}`);
    if (typeof cell === 'object') content = 'free' in cell ? held(cell) : moment(cell);
    return at === 0
      ? make('th', { scope: 'row', className }, content)
      : make('td', { className }, content);
  });
  return make('tr', {}, ...row);
}

/** @param {Place} place */
function held({ free, simulated }) {
  const button = make('button', { type: 'button', 'aria-label': `Free the place of ${free}` });
  button.textContent = 'Free';
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await sent(addressOf('free'), { evaluator: free, simulated });
      say(news, `The place of ${free} is free.`);
    } catch (error) {
      say(news, `The place of ${free} is not freed: ${words(error)}`);
      button.disabled = false;
    }
  });
  return make('span', {}, 'held ', button);
}

/** @param {Moment} moment */
function moment({ unix_s }) {
  const date = new Date(unix_s * 1000);
  return make('time', { dateTime: date.toISOString(), title: date.toLocaleString() });
}

/**
 * Return the element under a name; the first time, make it.
 * @param {string} name
 * @param {HTMLElement} within
 * @param {() => HTMLElement} made
 */
function drawOnce(name, within, made) {
  const element = drawn.get(name) ?? made();
  if (!drawn.has(name)) within.append(element);
  drawn.set(name, element);
  return element;
}

/**
 * Fill an element anew, if what it says is not what it said.
 * @template One
 * @param {HTMLElement} element
 * @param {One[]} content
 * @param {(one: One) => HTMLElement} made
 */
function fill(element, content, made) {
  const now = JSON.stringify(content);
  if (contents.get(element) === now) return;
  contents.set(element, now);
  element.replaceChildren(...content.map(made));
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
  const day = withDay ? /** @type {const} */ ({ day: 'numeric', month: 'short' }) : {};
  const time = /** @type {const} */ ({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
  return new Date(unix_s * 1000).toLocaleString('en-GB', { ...day, ...time });
}

turn.addEventListener('click', async () => {
  turn.disabled = true;
  try {
    drawDoors((await sent(addressOf('doors'), { open: !isOpen })).doors);
  } catch (error) {
    say(news, `The doors are as they were: ${words(error)}`);
  } finally {
    turn.disabled = false;
    turn.focus();
  }
});
await watch();
