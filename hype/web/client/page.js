/** Pages to read, and questions about the participant. */
import { answered, choiceOf } from './answering.js';
import { takeWholeScreen, wholeScreenWish } from './display.js';
import { make, paragraphs, show } from './elements.js';

/**
 * Show words until one of their buttons is pressed.
 * @param {import('./wire.js').PageStep} step
 * @param {AbortSignal} left
 */
export async function page(step, left) {
  const choices = step.buttons.map((button) => choiceOf(button));
  const [first] = choices;
  if (step.fullscreen && first) first.whenTaken = takeWholeScreen;
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    paragraphs(step.body),
    step.fullscreen && wholeScreenWish(),
    make('div', { className: 'answers' }, ...choices.map((choice) => choice.element)),
  );
  return answered(choices, onset, left);
}

/**
 * Ask about the participant; the last option withholds the answer.
 * @param {import('./wire.js').QuestionStep} step
 * @param {AbortSignal} left
 */
export async function question(step, left) {
  const choices = step.options.map((label, number) => {
    const cap = String(number + 1);
    const answer = number === step.options.length - 1 ? '' : label;
    const keys = [cap, `num_${cap}`];
    return choiceOf({ answer, label, keys, cap, picture: null, aside: !answer });
  });
  const onset = await show(
    'page',
    make('h1', {}, step.title),
    make('p', { className: 'asked', id: 'asked' }, step.asked),
    make(
      'div',
      { className: 'options', role: 'group', 'aria-labelledby': 'asked' },
      ...choices.map((choice) => choice.element),
    ),
    make('p', { className: 'hint' }, step.hint),
  );
  return answered(choices, onset, left);
}
