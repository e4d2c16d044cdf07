/** The page by which owners of models add one: a zip is sent, and what becomes of it is shown. */
import { asked, found, say, sent, words } from './asking.js';
import { make, pause } from './elements.js';

/**
 * @typedef {{ where: string, problem: string, allowed: string }} Problem
 * @typedef {{ name?: string, is_over?: boolean, added?: boolean, images?: number, masks?: number,
 *   doing?: string, done?: number, of?: number, problems?: Problem[], files?: number }} Addition
 * @typedef {{ lines: string[], prompts: string[] }} Needs
 */

const EVERY_MS = 1000;
const MB = 1_000_000;

/** @type {HTMLFormElement} */
const form = found('form');
/** @type {HTMLInputElement} */
const model = found('name');
/** @type {HTMLInputElement} */
const zip = found('zip');
/** @type {HTMLButtonElement} */
const button = found('send');
/** @type {HTMLProgressElement} */
const bar = found('bar');
const news = found('news');
const far = found('far');
const number = found('number');
const problems = found('problems');

let isSending = false;
/** The latest addition as it is drawn. */
let drawn = '';

/** @param {number} bytes */
const inMb = (bytes) => (bytes / MB).toLocaleString('en', { maximumFractionDigits: 1 });

/**
 * Say how far something is; numbers are not read out as they change.
 * @param {string} doing
 * @param {number} done
 * @param {number} of
 * @param {boolean} isBytes
 */
function drawCourse(doing, done, of, isBytes) {
  say(news, doing);
  far.hidden = false;
  problems.hidden = true;
  bar.max = of;
  if (of > 1) bar.value = done;
  else bar.removeAttribute('value');
  const [some, all] = [done, of].map(isBytes ? inMb : (count) => count.toLocaleString('en'));
  number.textContent = of > 1 ? `${some} of ${all}${isBytes ? ' MB' : ''}` : '';
}

/** @param {Addition} addition */
function draw(addition) {
  const now = JSON.stringify(addition);
  if (now === drawn) return;
  drawn = now;
  button.disabled = addition.is_over === false;
  if (!addition.name) return;
  if (addition.is_over) {
    drawEnd(addition);
  } else {
    const { doing = 'Beginning', done = 0, of = 1 } = addition;
    drawCourse(`${addition.name}: ${doing}.`, done, of, doing === 'Receiving the zip');
  }
}

/** @param {Addition} addition */
function drawEnd({ name, added, images, masks, problems: wrong = [], files = 0 }) {
  far.hidden = true;
  problems.hidden = wrong.length === 0;
  if (added) {
    const count = images ? `, with ${images.toLocaleString('en')} images` : '';
    const own = `${count}${masks ? ` and ${masks} masks` : ''}`;
    say(news, `${name} has joined the study${own}, and who comes next may meet it.`);
  } else {
    const count = files > 1 ? `: ${files.toLocaleString('en')} files are wrong` : '';
    say(news, `${name} was not added${count}.`);
  }
  const heads = ['File', 'What is wrong', 'What is allowed'];
  const rows = wrong.map(({ where, problem, allowed }) =>
    make(
      'tr',
      {},
      make('th', { scope: 'row' }, where || '–'),
      make('td', {}, problem),
      make('td', {}, allowed),
    )
  );
  const table = make(
    'table',
    {},
    make('caption', { className: 'unseen' }, 'What is wrong'),
    make('thead', {}, make('tr', {}, ...heads.map((text) => make('th', { scope: 'col' }, text)))),
    make('tbody', {}, ...rows),
  );
  const region = { className: 'scrolled', role: 'region', 'aria-label': 'What is wrong' };
  problems.replaceChildren(make('div', { ...region, tabIndex: 0 }, table));
}

/**
 * Send a file. Only this way of asking says how much has been sent.
 * @param {string} name
 * @param {File} file
 * @returns {Promise<void>}
 */
function send(name, file) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', `/add/images?name=${encodeURIComponent(name)}`);
    request.setRequestHeader('Content-Type', 'application/zip');
    request.upload.addEventListener('progress', ({ loaded }) => {
      drawCourse(`${name}: Sending the zip.`, loaded, file.size, true);
    });
    request.addEventListener('error', () => reject(new Error('The connection was cut.')));
    request.addEventListener('load', () => {
      if (request.status === 202) return resolve();
      let detail = '';
      try {
        detail = JSON.parse(request.responseText).detail;
      } catch {
        // What stands between here and the server answers in its own words.
      }
      reject(new Error(detail || `The server answers ${request.status}.`));
    });
    request.send(file);
  });
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const [name, file] = [model.value, zip.files?.[0]];
  if (!file || isSending) return;
  isSending = true;
  button.disabled = true;
  try {
    await sent('/add/check', { name, bytes: file.size });
    await send(name, file);
    form.reset();
    drawn = '';
  } catch (error) {
    far.hidden = true;
    problems.hidden = true;
    say(news, `${name} was not added. ${words(error)}`);
    button.disabled = false;
  } finally {
    isSending = false;
  }
});

addEventListener('beforeunload', (event) => {
  if (isSending) event.preventDefault();
});

/** Look again and again; while a zip is sent from here, that is what is shown. */
async function watch() {
  for (;;) {
    try {
      const addition = await asked('/add/state');
      if (!isSending) draw(addition);
    } catch (error) {
      if (!isSending) say(news, words(error));
      drawn = '';
    }
    await pause(EVERY_MS);
  }
}

/** @param {Needs} needs */
function drawNeeds({ lines, prompts }) {
  found('needs').replaceChildren(...lines.map((line) => make('li', {}, line)));
  const details = found('prompts');
  details.hidden = prompts.length === 0;
  details.querySelector('ul')?.replaceChildren(...prompts.map((text) => make('li', {}, text)));
}

try {
  drawNeeds(await asked('/add/needs'));
} catch (error) {
  say(news, words(error));
}
await watch();
