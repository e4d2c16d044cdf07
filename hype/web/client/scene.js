/** Trials whose images stand until the answer, and until the questions about it were answered. */
import { answered, choiceOf, limitOf } from './answering.js';
import { frame, make, prepare, reveal } from './elements.js';
import { entryOf } from './entry.js';
import { orderOf, placesOf } from './order.js';
import { pauseButton } from './pauses.js';
import { draw, longestSide, pictureOf, sideOf } from './pictures.js';
import { sliderOf } from './slider.js';
import { word } from './words.js';

/**
 * @typedef {import('./wire.js').SceneStep} SceneStep
 * @typedef {import('./answering.js').Choice} Choice
 */

/** Between images, as a share of the window's width; and an image's side at least, in CSS pixels. */
const GAP = 0.02;
const LEAST_SIDE = 64;
/** The least sides of what is tapped on, and the least space between. */
const TARGET = 44;
const LEAST_GAP = 16;
/** Height of an image's letter. */
const LETTER = 52;
/** Levels with longer words than this stand in rows of their own where there is little room. */
const SHORT = 8;

/**
 * @param {SceneStep} step
 * @param {AbortSignal} left
 */
export async function scene(step, left) {
  const canvases = step.pictures.map((_, place) =>
    make('canvas', { role: 'img', 'aria-label': nameOf(step, place) })
  );
  const frames = canvases.map((canvas, place) => {
    const rank = step.ranks[place];
    return make('div', { className: 'frame' }, canvas, rank ? rankOf(rank) : null);
  });
  const choices = step.buttons.map((button) => {
    const place = button.picture === null ? undefined : frames[button.picture];
    return choiceOf(button, place ? [place] : []);
  });
  const words = step.prompt.split(/\s+/).filter(Boolean);
  const spans = words.map((text) => make('span', {}, `${text} `));
  const images = imagesOf(step, frames, choices);
  const places = placesOf(step);
  const foot = footOf(step, choices, step.pressed, step.captions);
  const view = prepare(
    'trial',
    make('header', {}, ...headOf(step, spans)),
    step.captions.length > 0 && orderOf(step.captions, places),
    images,
    make(
      'div',
      { className: isPair(step) ? 'feet pair' : 'feet' },
      foot,
      ...step.others.map((other) => roomOf(other, step.captions)),
    ),
    !step.entry && pauseButton(), // a pause would lose what was typed
  );
  const fit = () => drawn(step, images, canvases);
  await fit();
  left.throwIfAborted();
  addEventListener('resize', fit, { signal: left });
  if (step.word_ms > 0) view.classList.add('awaited');
  let onset = await frame();
  reveal(view);
  const typed = document.getElementById('entry');
  (typed ?? foot.querySelector('input'))?.focus({ preventScroll: true });
  if (step.word_ms > 0) onset = await said(view, spans, step.word_ms, onset, left);
  const open = choices.filter((choice) => !step.pressed || choice.button.answer !== step.pressed);
  return answered([...open, ...places], onset, left, limitOf(step));
}

/**
 * @param {SceneStep} step
 * @param {HTMLElement[]} prompt
 */
function headOf(step, prompt) {
  const room = step.others.map(({ question }) => make('p', { 'aria-hidden': 'true' }, question));
  const question = make('h1', { id: 'asked' }, step.question);
  const asked = make('div', { className: 'questions' }, question, ...room);
  const said = prompt.length > 0 && make('p', { className: 'prompt' }, ...prompt);
  return step.dots || step.captions.length ? [said, dotsOf(step), asked] : [asked, said];
}

/** @param {SceneStep} step */
function dotsOf({ dots }) {
  if (!dots) return null;
  const [number, of] = dots;
  const label = word('axis', { number, of });
  const each = Array.from(
    { length: of },
    (_, place) => make('i', { className: place + 1 === number ? 'present' : '' }),
  );
  return make('p', { className: 'dots', role: 'img', 'aria-label': label }, ...each);
}

/**
 * @param {SceneStep} step
 * @param {number} place
 */
function nameOf(step, place) {
  if (isReference(step, place)) return step.reference?.[0] ?? '';
  const name = word('image', { name: step.captions[place] ?? place + 1 });
  const rank = step.ranks[place];
  return rank ? `${name}: ${word('rank', { rank })}` : name;
}

/**
 * Whether an image is the reference, which is the last one.
 * @param {SceneStep} step
 * @param {number} place
 */
const isReference = (step, place) => step.reference !== null && place === step.pictures.length - 1;

/**
 * Whether two images are judged, left and right.
 * @param {SceneStep} step
 */
const isPair = ({ captions, pictures, reference }) =>
  !captions.length && pictures.length - Number(reference !== null) === 2;

/**
 * Place the images, each with its letter, which is a button as long as it has no rank. A reference
 * stands before one image, and between two.
 * @param {SceneStep} step
 * @param {HTMLElement[]} frames
 * @param {Choice[]} choices
 */
function imagesOf(step, frames, choices) {
  const figures = frames.map((frame, place) => {
    const caption = step.captions[place];
    const letter = choices.find(({ button }) => button.answer === caption);
    const shown = isReference(step, place) && step.reference;
    return make(
      'figure',
      { className: shown ? 'reference' : '' },
      shown && make('figcaption', { 'aria-hidden': 'true' }, shown[0]),
      frame,
      caption && (letter?.element ?? placed(caption)),
    );
  });
  if (step.reference) figures.splice(figures.length - 2, 0, ...figures.splice(-1));
  return make('div', { className: 'images' }, ...figures);
}

/** @param {number} rank */
const rankOf = (rank) => make('b', { 'aria-hidden': 'true' }, `${rank}`);

/** @param {string} letter */
const placed = (letter) => make('span', { className: 'placed', 'aria-hidden': 'true' }, letter);

/**
 * Make what stands below the images: the slider or the box, the answers, those that stand apart.
 * @param {import('./wire.js').Question} asked
 * @param {Choice[]} choices
 * @param {string} held the answer whose button is pressed already
 * @param {string[]} captions the answers that stand below their images
 */
function footOf({ layout, slider, entry }, choices, held = '', captions = []) {
  const others = choices.filter(({ button }) => !captions.includes(button.answer));
  const pressed = held && others.find(({ button }) => button.answer === held)?.element;
  if (pressed) {
    pressed.disabled = true;
    pressed.setAttribute('aria-pressed', 'true');
  }
  const [usual, aside] = [false, true].map((where) =>
    others.filter(({ button }) => (button.aside && !entry) === where).map(({ element }) => element)
  );
  const wordy = choices.some(({ button }) => button.label.length > SHORT && !button.aside);
  usual?.forEach((element, place) => {
    element.style.setProperty('--inwards', `${Math.min(place, usual.length - 1 - place)}`);
  });
  return make(
    'div',
    { className: `foot ${layout}` },
    slider && sliderOf(slider, choices),
    entry && entryOf(entry, choices),
    make(
      'div',
      { className: captions.length && !entry ? 'acts' : `answers ${wordy ? 'wordy' : ''}` },
      ...usual ?? [],
    ),
    aside?.length ? make('div', { className: 'acts' }, ...aside) : null,
  );
}

/**
 * Keep the room that the answers to another question about the same images take.
 * @param {import('./wire.js').Question} other
 * @param {string[]} captions
 */
function roomOf(other, captions) {
  const foot = footOf(other, other.buttons.map((button) => choiceOf(button)), '', captions);
  foot.querySelector('#entry')?.removeAttribute('id');
  foot.inert = true;
  return foot;
}

/**
 * Draw the images as large as there is room for them.
 * @param {SceneStep} step
 * @param {HTMLElement} images
 * @param {HTMLCanvasElement[]} canvases
 */
async function drawn(step, images, canvases) {
  const own = await longestSide(step.pictures.map(({ id }) => id));
  images.classList.add('measured');
  const room = images.getBoundingClientRect();
  images.classList.remove('measured');
  const wanted = sideOf(step.size);
  const most = step.enlarge ? wanted : Math.min(wanted, own);
  const gap = Math.max(LEAST_GAP, Math.round(GAP * innerWidth));
  const label = images.querySelector('figcaption')?.offsetHeight ?? 0;
  const { side, columns } = gridOf(step, most, gap, room.width, room.height - label);
  images.classList.toggle('stacked', step.reference !== null && columns < step.pictures.length);
  const bitmaps = await Promise.all(step.pictures.map(({ id }) => pictureOf(id, side, step)));
  bitmaps.forEach((bitmap, place) => draw(bitmap, canvases[place]));
  const sides = bitmaps.flatMap(({ width, height }) => [width, height]);
  const view = /** @type {HTMLElement} */ (images.parentElement); // answers stand below images
  view.style.setProperty('--gap', `${gap}px`);
  view.style.setProperty('--columns', `${columns}`);
  view.style.setProperty('--side', `${Math.max(...sides) / devicePixelRatio}px`);
}

/**
 * Arrange images so that they are as large as possible: in the fewest rows, two of them side by side. A
 * reference stands in a row of its own above the others, or in theirs if they are as large there.
 * @param {SceneStep} step
 * @param {number} most the longest side that is wanted
 * @param {number} gap
 * @param {number} width
 * @param {number} height
 */
function gridOf(step, most, gap, width, height) {
  const number = step.pictures.length;
  const letter = step.captions.length ? LETTER : 0;
  let best = { side: 0, columns: 1 };
  const [, place = null] = step.reference ?? [];
  const first = place === 'above' ? number - 1 : number;
  const last = place ? number - 1 : number === 2 ? 2 : 1;
  for (let columns = first; columns >= last; columns -= 1) {
    const rows = Math.ceil(number / columns);
    const across = (width - (columns - 1) * gap) / columns;
    if (across < TARGET && columns > last) continue;
    const up = (height - (rows - 1) * gap) / rows - letter;
    const side = Math.floor(Math.min(most, across, Math.max(up, Math.min(LEAST_SIDE, across))));
    if (side > best.side) best = { side, columns };
  }
  return best;
}

/**
 * Let the words come one by one; give when the last one has stood for its time.
 * @param {HTMLElement} view
 * @param {HTMLElement[]} words
 * @param {number} word_ms
 * @param {number} onset
 * @param {AbortSignal} left
 */
async function said(view, words, word_ms, onset, left) {
  let [now, come] = [onset, 0];
  for (; now - onset < words.length * word_ms; now = await frame()) {
    left.throwIfAborted();
    for (; come <= (now - onset) / word_ms; come += 1) words[come]?.classList.add('come');
  }
  view.classList.remove('awaited');
  return now;
}
