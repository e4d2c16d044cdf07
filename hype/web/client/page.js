/** Pages to read, and questions about the participant. */
import { answered, choiceOf } from './answering.js';
import { takeWholeScreen, wholeScreenWish } from './display.js';
import { make, paragraphs, show } from './elements.js';

/** The most characters that are typed into a single line. */
const LINE = 100;

/**
 * Show words until one of their buttons is pressed.
 * @param {import('./wire.js').PageStep} step
 * @param {AbortSignal} left
 */
export async function page(step, left) {
  const choices = step.buttons.map((button) => choiceOf(button));
  const [first] = choices;
  if (step.fullscreen && first) first.whenTaken = takeWholeScreen;
  const { picture } = step;
  const image = picture && make('img', { src: `picture/${picture.id}`, alt: picture.alt });
  await image?.decode().catch(() => {}); // or words would move when it comes
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    image,
    paragraphs(step.body),
    step.fullscreen && wholeScreenWish(),
    make('div', { className: 'answers' }, ...choices.map((choice) => choice.element)),
  );
  return answered(choices, onset, left);
}

/**
 * Ask about the participant, or about the instructions.
 * @param {import('./wire.js').QuestionStep} step
 * @param {AbortSignal} left
 */
export async function question(step, left) {
  if (step.entry) return entered(step, step.entry, left);
  const apart = step.answers.includes('');
  const choices = step.options.map((label, number) => {
    const cap = String(number + 1);
    const answer = step.answers[number] ?? '';
    const keys = [cap, `num_${cap}`];
    return choiceOf({ answer, label, keys, cap, picture: null, aside: !answer });
  });
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    make('p', { className: 'asked', id: 'asked' }, step.asked),
    make(
      'div',
      { className: apart ? 'options' : 'options steps', role: 'group', 'aria-labelledby': 'asked' },
      ...choices.map((choice) => choice.element),
    ),
    make('p', { className: 'hint' }, step.hint),
  );
  return answered(choices, onset, left);
}

/**
 * Ask for something to be typed; the other button withholds it.
 * @param {import('./wire.js').QuestionStep} step
 * @param {import('./wire.js').Entry} asked
 * @param {AbortSignal} left
 */
async function entered(step, asked, left) {
  const input = fieldOf(asked);
  const bare = { keys: [], cap: '', picture: null };
  const send = choiceOf({ ...bare, answer: '', label: step.send, aside: false });
  Object.defineProperty(send.button, 'answer', { get: () => input.value.trim() });
  send.refused = () => !input.reportValidity() || !input.value.trim();
  const withhold = choiceOf({ ...bare, answer: '', label: step.options[0] ?? '', aside: true });
  input.onkeydown = (event) => {
    if (event.key !== 'Enter' || event.isComposing) return;
    event.preventDefault();
    send.element.click();
  };
  const choices = [send, withhold];
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    make('label', { className: 'asked', htmlFor: input.id }, step.asked),
    make('div', { className: 'entry' }, input),
    make('p', { className: 'hint', id: 'hint' }, step.hint),
    make('div', { className: 'options' }, ...choices.map((choice) => choice.element)),
  );
  input.focus({ preventScroll: true });
  return answered(choices, onset, left);
}

/** @param {import('./wire.js').Entry} asked */
function fieldOf({ kind, lowest, highest, whole, longest }) {
  const common = { id: 'entry', required: true, autocomplete: 'off', 'aria-describedby': 'hint' };
  if (kind === 'number') {
    const step = whole ? 1 : 'any';
    return make('input', { ...common, type: 'number', min: lowest, max: highest, step });
  }
  const text = { ...common, maxLength: longest };
  return longest > LINE
    ? make('textarea', { ...text, rows: 4 })
    : make('input', { ...text, type: 'text' });
}
