/** A form for each command that a study needs, and what the command says. */
import { found, sent } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { save } from './form.js';
import { at, calm, draw, follow, query, tell } from './shared.js';

/** @typedef {import('./shared.js').Program} Program */

const FAILED = ['It did not succeed.'];

/** @type {Record<string, (program: Program) => (Node | string)[]>} what the end of some means */
const ENDED = {
  new: ({ code }) => code === 0 ? [make('p', { className: 'good' }, 'The study is made.')] : FAILED,
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
    const facts = result.lines.flatMap((/** @type {[string, string]} */ [title, line]) => [
      ...(title ? [make('dt', {}, title)] : []),
      make('dd', {}, line),
    ]);
    const lines = make('dl', { className: 'checked', 'aria-live': 'off' }, ...facts);
    return [lines, make('ul', { className: 'findings' }, ...some), good];
  },
  power({ result }) {
    if (!result) return [];
    const { evaluators_for_80: number, difference, unit, setting } = result;
    const what = `a difference of ${difference} ${unit} with a chance of 80 %.`;
    if (!number) return [`No number of people that was tried finds ${what}`];
    const each = result.conditions_each < result.conditions.length ? ' for each condition' : '';
    const said = make('p', { className: 'good' }, `About ${number} people${each} find ${what}`);
    if (!setting) return [said];
    const onclick = () => save([[setting.key.split('.'), String(setting.value)]]).catch(tell);
    const label = `Ask ${number} people${each}`;
    const accept = make('button', { type: 'button', className: 'main', onclick }, label);
    return [said, make('p', {}, accept)];
  },
  report({ code, lines }) {
    if (code !== 0) return FAILED;
    const simulated = lines.some((line) => line.includes('report-simulated.html'));
    const href = `/report?${new URLSearchParams({ at, simulated: simulated ? '1' : '0' })}`;
    const label = `Open the report${simulated ? ' of simulated answers' : ''}`;
    return [make('p', { className: 'good' }, anchor(href, label))];
  },
};

/**
 * While the study is open to browsers: its link, and the link as a code for phones.
 * @param {Program} program
 */
function invitation({ lines }) {
  const link = lines.map((line) => /^Open to .+? at (\S+)/.exec(line)?.[1]).find(Boolean);
  if (!link) return [];
  const src = `/qr?${new URLSearchParams({ link })}`;
  const alt = 'QR code of the link, which opens large';
  const code = anchor(src, make('img', { src, alt, className: 'code' }));
  const copy = () => navigator.clipboard.writeText(link).catch(tell);
  return [
    make('p', { className: 'good' }, 'Open to participants: ', anchor(link, link)),
    make('p', {}, make('button', { type: 'button', onclick: copy }, 'Copy the link')),
    link.includes('//127.0.0.1:')
      ? 'Only this machine can open it. For others, stop it, tick “Other machines”, and open it again.'
      : code,
  ];
}

/** @type {typeof ENDED} what it means that some still run */
const RUNNING = {
  serve: invitation,
  new: () => ['The masks are being made. Until they are there, nobody can look or take part.'],
};

/**
 * @param {string} href
 * @param {string | Node} label
 */
const anchor = (href, label) => make('a', { href, target: '_blank', rel: 'noopener' }, label);

let isFollowing = false;
async function followAll() {
  if (isFollowing) return;
  isFollowing = true;
  await follow(at, (task, program) => {
    /** @type {HTMLFormElement | null} */
    const form = document.querySelector(`form[data-task="${task}"]`);
    if (!form) return;
    if (task === 'new') form.hidden = program.code === null || program.code === 0;
    if (form.nextElementSibling?.className !== 'output') {
      form.after(make('div', { className: 'output' }));
    }
    const output = /** @type {HTMLElement} */ (form.nextElementSibling);
    // Once its masks are there, only Make says that the study is made.
    output.hidden = task === 'new' && program.code === 0 && !found('difference');
    const stop = () => sent(`/api/stop?${query}`, { task }).catch(tell);
    const ended = ENDED[task] ?? (({ code }) => code === 0 ? ['Done.'] : FAILED);
    draw(output, program, { ended, running: RUNNING[task], stop });
  }).finally(() => {
    isFollowing = false;
  });
}

/** @type {NodeListOf<HTMLFormElement>} */
const forms = document.querySelectorAll('form[data-task]');
for (const form of forms) {
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calm();
    const options = Object.fromEntries(new FormData(form));
    sent(`/api/programs?${query}`, { task: form.dataset['task'], options }).then(followAll)
      .catch(tell);
  });
}
await followAll().catch(tell);
