/** A form for each command that a study needs, and what the command says. */
import { make } from '../../web/client/elements.js';
import { asked, at, calm, draw, follow, query, sent, tell } from './shared.js';

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
    return [make('p', { className: 'good' }, `${said} Nobody real was asked.`)];
  },
  session: ({ code }) => [make('p', {}, code === 0 ? '' : 'The session did not come to its end.')],
  report({ code, lines }) {
    if (code !== 0) return [];
    const simulated = lines.some((line) => line.includes('report-simulated.html'));
    const href = `/report?${new URLSearchParams({ at, simulated: simulated ? '1' : '0' })}`;
    const link = make('a', { href, target: '_blank' }, 'Open the report');
    return [make('p', { className: 'good' }, link)];
  },
};

/**
 * Give the place for what a command says: after its form, if this page has it.
 * @param {string} task
 */
function outputOf(task) {
  const form = document.querySelector(`form[data-task="${task}"]`);
  if (form && !form.nextElementSibling) form.after(make('div', { className: 'output' }));
  return /** @type {HTMLElement | undefined} */ (form?.nextElementSibling);
}

let following = false;
async function followAll() {
  if (following) return;
  following = true;
  try {
    await follow(() => asked(`/api/programs?${query}`), (task, program) => {
      const stop = () => sent(`/api/stop?${query}`, { task }).catch(tell);
      const output = outputOf(task);
      if (output) draw(output, program, { ended: ENDED[task] ?? (() => []), stop });
    });
  } finally {
    following = false;
  }
}

/** @param {HTMLFormElement} form */
async function start(form) {
  /** @type {Record<string, any>} */
  const options = { task: form.dataset['task'] };
  for (const input of form.querySelectorAll('input')) {
    if (input.type === 'checkbox') options[input.name] = input.checked;
    else if (input.name === 'evaluators') {
      options[input.name] = input.value ? Number(input.value) : null;
    } else options[input.name] = input.value.trim();
  }
  if (Number.isNaN(options['evaluators'])) throw new Error('How many? A whole number is wanted.');
  await sent(`/api/programs?${query}`, options);
  await followAll();
}

for (const one of document.querySelectorAll('form[data-task]')) {
  const form = /** @type {HTMLFormElement} */ (one);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    calm();
    start(form).catch(tell);
  });
}
await followAll().catch(tell);
