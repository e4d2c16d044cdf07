/** A study while it runs: its doors, who is on, how far it is; drawn again every few seconds. */
import { asked, found, say, sent, words } from './asking.js';
import { make, patch, pause } from './elements.js';

/**
 * @typedef {{ unix_s: number }} Moment
 * @typedef {{ acts: Act[], of: string, simulated: boolean }} Place what can be done about it
 * @typedef {'free' | 'admit' | 'refuse'} Act
 * @typedef {string | number | Moment | Place} Cell
 * @typedef {{ name: string, number: boolean }} Column
 * @typedef {{ title: string, columns: Column[], rows: Cell[][], lines: string[] }} Part
 * @typedef {{ simulated: boolean, facts: [string, string][], warnings: string[],
 *   parts: Part[] }} Side
 * @typedef {{ open: boolean, closed_unix_s: number | null, served: boolean }} Doors
 */

const EVERY_MS = 3000;

const news = make('p', { className: 'soft', role: 'status' }, 'One moment.');
const sign = make('p', { id: 'sign', role: 'status' });
const turn = make('button', { id: 'doors', type: 'button', hidden: true });
found('live').append(
  news,
  make('div', { className: 'doors' }, sign, turn),
  make('div', { id: 'sides' }),
);

let isOpen = true;

/** @param {string} what */
const addressOf = (what) => `/watch/${what}${location.search}`;

/** Look again and again, as long as somebody sees it. */
async function watch() {
  let heard_s = Date.now() / 1000;
  for (;;) {
    try {
      const state = await asked(addressOf('state'));
      say(news, state.sides.length > 0 ? 'Live.' : 'Live. Nobody has come yet.');
      drawDoors(state.doors);
      patch(found('sides'), make('div', { id: 'sides' }, ...state.sides.map(sectionOf)));
      heard_s = Date.now() / 1000;
    } catch (error) {
      const { message, status } = /** @type {import('./asking.js').Wrong} */ (error);
      if (status === 403 || status === 404) {
        say(news, message);
        turn.hidden = true;
        return;
      }
      say(news, `${message} What is shown is of ${clock(heard_s)}; it is tried again.`);
    }
    await pause(EVERY_MS);
    if (document.hidden) {
      await new Promise((seen) => addEventListener('visibilitychange', seen, { once: true }));
    }
  }
}

/** @param {Doors} doors */
function drawDoors(doors) {
  isOpen = doors.open;
  const since = doors.closed_unix_s === null ? '' : ` since ${clock(doors.closed_unix_s)}`;
  const goOn = doors.served ? 'People who have begun go on.' : 'No server runs now.';
  const open = doors.served
    ? 'The doors are open to newcomers.'
    : 'No server runs now. The page Run opens the study to browsers.';
  say(sign, isOpen ? open : `The doors are closed${since}. ${goOn}`);
  sign.classList.toggle('closed', !isOpen);
  say(turn, isOpen ? 'Close the doors' : 'Reopen the doors');
  turn.hidden = isOpen && !doors.served;
}

/** @param {Side} side */
function sectionOf({ simulated, facts, warnings, parts }) {
  const which = new URLSearchParams(location.search);
  if (simulated) which.set('simulated', '1');
  const link = { href: `/watch/report?${which}`, target: '_blank' };
  const label = `${simulated ? 'The report of these' : 'The report'} as it is now`;
  const late = ' (making it takes a moment, or some minutes)';
  return make(
    'section',
    { className: simulated ? 'simulated' : 'people' },
    make('h2', {}, simulated ? 'Simulated evaluators: no people were asked' : 'People'),
    make('p', { className: 'soft' }, make('a', link, label), late),
    make(
      'dl',
      { 'aria-live': 'polite', className: 'facts' },
      ...facts.map(([name, value]) => make('div', {}, make('dt', {}, name), make('dd', {}, value))),
    ),
    make('div', { className: 'warnings' }, ...warnings.map((text) => make('p', {}, text))),
    ...parts.map((part) => partOf(part, simulated)),
  );
}

/**
 * @param {Part} part
 * @param {boolean} simulated
 */
function partOf({ title, columns, rows, lines }, simulated) {
  const caption = simulated ? `${title}, simulated` : title;
  const heads = columns.map(({ name, number }) =>
    make('th', { scope: 'col', className: number ? 'number' : '' }, name)
  );
  const table = make(
    'table',
    {},
    make('caption', { className: 'unseen' }, caption),
    make('thead', {}, make('tr', {}, ...heads)),
    make('tbody', {}, ...rows.map((row) => rowOf(row, columns))),
  );
  const region = { role: 'region', 'aria-label': caption, tabIndex: 0, hidden: rows.length === 0 };
  return make(
    'div',
    { className: 'part' },
    make('h3', {}, title),
    make('div', { className: 'lines' }, ...lines.map((text) => make('p', {}, text))),
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
    if (typeof cell === 'object') content = 'acts' in cell ? held(cell) : clock(cell.unix_s);
    return at === 0
      ? make('th', { scope: 'row', className }, content)
      : make('td', { className }, content);
  });
  return make('tr', {}, ...row);
}

/** Each act: its button, for whom, and what is true afterwards. */
const ACTS = {
  free: ['Free', 'the place of', 'is free'],
  admit: ['Admit', '', 'goes on'],
  refuse: ['Refuse', '', 'does not go on'],
};

/** @param {Place} place */
function held({ acts, of, simulated }) {
  const buttons = acts.map((what) => {
    const [name, whose, done] = ACTS[what];
    const who = `${whose} ${of}`.trim();
    const button = make('button', { type: 'button', 'aria-label': `${name} ${who}` }, name);
    button.addEventListener('click', async () => {
      button.disabled = true;
      try {
        await sent(addressOf('place'), { what, evaluator: of, simulated });
        say(news, `${who} ${done}.`);
      } catch (error) {
        say(news, `Nothing is changed for ${of}: ${words(error)}`);
        button.disabled = false;
      }
    });
    return button;
  });
  return make('span', {}, acts.includes('free') ? 'held ' : 'waits ', ...buttons);
}

/** @param {number} unix_s */
const clock = (unix_s) =>
  new Date(unix_s * 1000).toLocaleString('en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  });

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
