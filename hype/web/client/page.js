/** Pages to read, and questions without images. */
import { answered, choiceOf } from './answering.js';
import { takeWholeScreen, wholeScreenWish } from './display.js';
import { make, paragraphs, show } from './elements.js';
import { entryOf } from './entry.js';
import { sliderOf } from './slider.js';
import { word } from './words.js';

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
    step.page.startsWith('instructions') &&
      make('p', { className: 'hint keyboard' }, word('keyboard')),
    step.fullscreen && wholeScreenWish(),
    make('div', { className: 'answers' }, ...choices.map((choice) => choice.element)),
  );
  return answered(choices, onset, left);
}

/**
 * Ask about the participant, about the instructions, or about an answer to what is gone.
 * @param {import('./wire.js').QuestionStep} step
 * @param {AbortSignal} left
 */
export async function question(step, left) {
  const choices = step.buttons.map((button) => choiceOf(button));
  const apart = step.buttons.some(({ aside }) => aside);
  const entry = step.entry && entryOf(step.entry, choices);
  const hint = make('p', { className: 'hint' }, step.hint);
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    make('p', { className: 'asked', id: 'asked' }, step.question),
    entry,
    entry && hint,
    step.slider && sliderOf(step.slider, choices),
    make(
      'div',
      { className: apart ? 'options' : 'options steps', role: 'group', 'aria-labelledby': 'asked' },
      ...choices.map((choice) => choice.element),
    ),
    !entry && hint,
  );
  document.getElementById('entry')?.focus({ preventScroll: true });
  return answered(choices, onset, left);
}
