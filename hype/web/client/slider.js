/** A slider: nothing is marked on it, and nothing can be sent, until somebody touches it. */
import { make } from './elements.js';
import { word } from './words.js';

/**
 * Make a slider. The choice without an answer sends what is marked.
 * @param {import('./wire.js').Slider} slider
 * @param {import('./answering.js').Choice[]} choices
 */
export function sliderOf({ answers, ends }, choices) {
  const send = choices.find(({ button }) => button.answer === '');
  if (!send) throw new Error('nothing sends what is marked');
  const [max, value] = [answers.length - 1, Math.floor(answers.length / 2)];
  const range = make('input', { type: 'range', max, value, className: 'unmarked' });
  const shown = make('output', { 'aria-hidden': 'true' });
  const marked = () => answers[range.valueAsNumber] ?? '';
  const mark = () => {
    range.classList.remove('unmarked');
    send.element.disabled = false;
    shown.textContent = marked();
    range.setAttribute('aria-valuetext', marked());
  };
  for (const touched of ['input', 'click', 'touchend']) range.addEventListener(touched, mark);
  range.setAttribute('aria-labelledby', 'asked');
  range.setAttribute('aria-valuetext', word('unmarked'));
  send.element.disabled = true;
  send.refused = () => range.matches('.unmarked');
  send.mark = (answer) => {
    if (!answers.includes(answer)) return;
    range.valueAsNumber = answers.indexOf(answer);
    mark();
  };
  Object.defineProperty(send.button, 'answer', { get: marked });
  const [first, last] = ends.map((end) => make('span', {}, end));
  return make('div', { className: 'slider' }, range, first, shown, last);
}
