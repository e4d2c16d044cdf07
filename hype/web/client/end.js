/** Pages after which nothing is asked: the end, and why it cannot go on. */
import { make, paragraphs, show } from './elements.js';
import { leaveWholeScreen } from './display.js';
import { pageOf, word } from './words.js';

const COPIED_MS = 2000;

/** @param {import('./wire.js').EndStep} step */
export async function end(step) {
  await leaveWholeScreen();
  const stopped = step.ended === 'quit';
  const { title, body } = step.title
    ? { title: step.title, body: step.body ?? [] }
    : pageOf('stopped');
  await show(
    'page',
    make('h1', {}, title),
    paragraphs(body),
    step.code && codeOf(step.code),
    !step.go_to && !stopped && make('p', { className: 'hint' }, step.close ?? word('close')),
    make(
      'div',
      { className: 'answers' },
      step.go_to && link(step.go_to, step.button ?? word('finish')),
      stopped && button(word('resume'), reload),
    ),
  );
}

/**
 * Say what keeps the session from going on, and what can be done.
 * @param {import('./wire.js').Refusal} words
 * @param {{ label: string, does: () => void } | null} way
 */
export async function obstacle({ title, body, go_to, code, button: label }, way = null) {
  await leaveWholeScreen();
  await show(
    'page',
    make('h1', {}, title),
    paragraphs(body),
    code && codeOf(code),
    make(
      'div',
      { className: 'answers' },
      go_to && link(go_to, label ?? word('finish')),
      way && button(way.label, way.does),
    ),
  );
}

export const reload = () => location.reload();

/** @param {string} code */
function codeOf(code) {
  const copy = button(word('copy_code'), async () => {
    await navigator.clipboard.writeText(code);
    label.textContent = word('copied');
    setTimeout(() => (label.textContent = word('copy_code')), COPIED_MS);
  });
  const label = /** @type {HTMLElement} */ (copy.querySelector('.label'));
  const shown = make('code', {}, code);
  const said = make('span', {}, word('completion_code'));
  // Without TLS a page can copy nothing.
  return make('p', { className: 'code' }, said, shown, 'clipboard' in navigator && copy);
}

/**
 * @param {string} href
 * @param {string} label
 */
const link = (href, label) =>
  make('a', { href, className: 'choice bare' }, make('span', { className: 'label' }, label));

/**
 * @param {string} label
 * @param {() => void} does
 */
function button(label, does) {
  const made = make(
    'button',
    { type: 'button', className: 'choice bare' },
    make('span', { className: 'label' }, label),
  );
  made.addEventListener('click', does);
  return made;
}
