/** A form for each command that a study needs, and what the command says. */
import { make, pause } from '../../web/client/elements.js';
import { asked, at, calm, draw, follow, query, sent, tell } from './shared.js';

const PLACES_MS = 5000;

/** @typedef {import('./shared.js').Program} Program */

/** @type {Record<string, (program: Program) => (Node | string)[]>} */
const ENDED = {
  check({ result }) {
    if (!result) return [];
    const some = result.findings.map((/** @type {import('./shared.js').Finding} */ one) =>
      make(
        'li',
        { className: one.severity },
        make('p', {}, make('strong', {}, `${one.severity}: `), one.message),
        make('p', { className: 'about' }, one.remedy),
      )
    );
    const good = make(
      'p',
      { className: result.ok ? 'good' : 'mistake' },
      result.ok ? 'Ready.' : 'Not ready.',
    );
    return [make('ul', { className: 'findings' }, ...some), good];
  },
  simulate({ result }) {
    if (!result) return [];
    const { evaluators, judgements, seconds } = result;
    const said = `${evaluators} simulated evaluators gave ${judgements} answers in ${seconds} s.`;
    return [make('p', { className: 'good' }, `${said} No person was asked.`)];
  },
  new: (
    { code },
  ) => [make('p', {}, code === 0 ? 'The study is whole.' : 'Some masks are missing.')],
  session: ({ code }) => [code === 0 ? 'The session is over.' : 'The session was not completed.'],
  serve: () => ['The study could not be opened.'],
  report({ code, lines }) {
    if (code !== 0) return [];
    const simulated = lines.some((line) => line.includes('report-simulated.html'));
    const href = `/report?${new URLSearchParams({ at, simulated: simulated ? '1' : '0' })}`;
    return [make('p', { className: 'good' }, anchor(href, 'Open the report'))];
  },
};

/** @param {string} task */
const formOf = (
  task,
) => /** @type {HTMLFormElement | null} */ (document.querySelector(`form[data-task="${task}"]`));

/**
 * Give the place for what a command says: after its form.
 * @param {HTMLFormElement} form
 */
function outputOf(form) {
  const next = form.nextElementSibling;
  if (next?.className === 'output') return /** @type {HTMLElement} */ (next);
  const output = make('div', { className: 'output' });
  form.after(output);
  return output;
}

/**
 * While the study is open to browsers: its link, and the link as a code for phones.
 * @param {Program} program
 */
function invitation({ lines }) {
  const link = lines.map((line) => /^Open to .+? at (\S+)/.exec(line)?.[1]).find(Boolean);
  if (!link) return [];
  const code = make('img', {
    src: `/qr?${new URLSearchParams({ link })}`,
    alt: 'QR code of the link',
    className: 'code',
  });
  const copy = make('button', { type: 'button' }, 'Copy the link');
  copy.addEventListener('click', () => navigator.clipboard.writeText(link).catch(tell));
  return [
    make('p', { className: 'good' }, 'Open to participants: ', anchor(link, link)),
    make('p', {}, copy),
    code,
  ];
}

/**
 * @param {string} href
 * @param {string} label
 */
const anchor = (href, label) => make('a', { href, target: '_blank', rel: 'noopener' }, label);

let following = false;
async function followAll() {
  if (following) return;
  following = true;
  try {
    await follow(() => asked(`/api/programs?${query}`), (task, program) => {
      const form = formOf(task);
      if (!form) return;
      const stop = () => sent(`/api/stop?${query}`, { task }).catch(tell);
      const running = task === 'serve' ? invitation : undefined;
      draw(outputOf(form), program, { ended: ENDED[task], running, stop });
    });
  } finally {
    following = false;
  }
}

/** @param {HTMLFormElement} form */
async function start(form) {
  /** @type {Record<string, any>} */
  const options = { task: form.dataset['task'] };
  for (const field of form.querySelectorAll('input, select')) {
    const input = /** @type {HTMLInputElement} */ (field);
    const text = input.value.trim();
    if (input.type === 'checkbox') options[input.name] = input.checked;
    else if (!input.inputMode) options[input.name] = text;
    else if (text !== '') {
      options[input.name] = Number(text);
      if (Number.isNaN(options[input.name])) {
        input.focus();
        throw new Error(`${input.labels?.[0]?.textContent}: ${text} is not a number`);
      }
    }
  }
  await sent(`/api/programs?${query}`, options);
  await followAll();
}

/**
 * Keep saying how many places are filled, as the page that watches does.
 * @param {HTMLElement} list
 */
async function showPlaces(list) {
  for (;; await pause(PLACES_MS)) {
    const { sides } = await asked(`/watch/state?${query}`);
    const people = sides.find((/** @type {any} */ side) => !side.simulated);
    const facts = people?.facts ?? [['On now', '0'], ['Places filled', '0']];
    list.replaceChildren(
      ...facts.map((/** @type {[string, string]} */ [name, value]) =>
        make('div', {}, make('dt', {}, name), make('dd', {}, value))
      ),
    );
  }
}

for (const one of document.querySelectorAll('form[data-task]')) {
  const form = /** @type {HTMLFormElement} */ (one);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calm();
    start(form).catch(tell);
  });
}
const places = document.getElementById('places');
if (places) showPlaces(places).catch(tell);
await followAll().catch(tell);
