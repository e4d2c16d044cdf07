/**
 * Trials whose images are seen for whole frames: a countdown or a cross, the images and masks one
 * after the other on one place, then the question.
 */
import { answered, choiceOf, limitOf } from './answering.js';
import { tellsPresentations, windowSettled } from './display.js';
import { frame, make, pause, prepare, reveal } from './elements.js';
import { pauseButton } from './pauses.js';
import { fetchAhead, pictureOf, settled, sideOf } from './pictures.js';

/** @typedef {import('./wire.js').FlashStep} FlashStep */

/** One pixel of grey. */
const DOT = 'static/dot.png';

/** For how long a browser may still tell of changes when the answer has come. */
const STILL_TOLD_MS = 300;
const LOOK_MS = 20;

/** Height of the numerals, and the cross's length and width, as shares of the window's smaller side. */
const NUMERAL = 0.12;
const CROSS = { length: 0.05, width: 0.006 };

/**
 * @param {FlashStep} step
 * @param {AbortSignal} left
 */
export async function flash(step, left) {
  await windowSettled();
  const side = sideOf(step.size);
  const bitmaps = await bitmapsOf(step, side);
  await settled();
  left.throwIfAborted();
  const choices = step.buttons.map((button) => choiceOf(button));
  const wordy = step.layout === 'scale' ? 'wordy' : '';
  const canvas = make('canvas', { 'aria-hidden': 'true' });
  const view = prepare(
    `trial ${step.layout} exposing`,
    make('header', {}, make('h1', {}, step.question)),
    make('div', { className: `answers ${wordy}` }, ...choices.map((choice) => choice.element)),
    pauseButton(),
    canvas,
  );
  const screen = new Screen(canvas, bitmaps);
  const marks = new Marks(view, step.pictures.length + 1);
  await frame();
  reveal(view);
  await cue(step, screen, left);
  const times = await exposed(step, screen, marks, left);
  // The question takes a layout, which could hold up the frame that ends the last picture.
  const onset = await frame();
  view.classList.remove('exposing');
  view.querySelector('h1')?.focus({ preventScroll: true });
  fetchAhead(step.ahead);
  const response = await answered(choices, onset, left, limitOf(step));
  return { ...response, callbacks: pairsOf(times), presented: await marks.presented(), side };
}

/**
 * Give all pictures of a trial, as they are drawn. Masks are as large as its image.
 * @param {FlashStep} step
 * @param {number} side of the square that images fill
 */
async function bitmapsOf(step, side) {
  const { enlarge } = step;
  const images = step.pictures.filter(({ mask }) => !mask);
  const shown = await Promise.all(images.map(({ id }) => pictureOf(id, side, { enlarge })));
  const sides = shown.map(({ width, height }) => Math.max(width, height) / devicePixelRatio);
  const cover = Math.max(...sides);
  return Promise.all(
    step.pictures.map(({ id, mask }) => pictureOf(id, mask ? cover : side, { enlarge, mask })),
  );
}

/** The place in the window's middle on which all is drawn, in the screen's own pixels. */
class Screen {
  /**
   * @param {HTMLCanvasElement} canvas
   * @param {ImageBitmap[]} bitmaps
   */
  constructor(canvas, bitmaps) {
    const numeral = NUMERAL * Math.min(innerWidth, innerHeight) * devicePixelRatio;
    const sides = bitmaps.flatMap(({ width, height }) => [width, height]);
    this.side = Math.ceil(Math.max(2 * numeral, ...sides));
    canvas.width = canvas.height = this.side;
    const style = getComputedStyle(document.body);
    for (
      const [edge, room] of /** @type {const} */ ([['left', innerWidth], ['top', innerHeight]])
    ) {
      const before = Math.round((room * devicePixelRatio - this.side) / 2);
      canvas.style[edge] = `${before / devicePixelRatio}px`;
    }
    canvas.style.width = canvas.style.height = `${this.side / devicePixelRatio}px`;
    const context = canvas.getContext('2d', { alpha: false });
    if (!context) throw new Error('no canvas');
    this.context = context;
    this.bitmaps = bitmaps;
    this.ground = style.backgroundColor;
    this.ink = style.color;
    context.font = `${Math.round(numeral)}px ${style.fontFamily}`;
    context.textAlign = 'center';
    context.textBaseline = 'middle';
    // What is drawn for the first time is slower: so once all, and nothing of it is seen.
    for (let place = 0; place < bitmaps.length; place += 1) this.draw(place);
    this.clear();
  }

  clear() {
    this.context.fillStyle = this.ground;
    this.context.fillRect(0, 0, this.side, this.side);
  }

  /** @param {number} place */
  draw(place) {
    const bitmap = this.bitmaps[place];
    if (!bitmap) return;
    this.clear();
    const x = (this.side - bitmap.width) >> 1;
    const y = (this.side - bitmap.height) >> 1;
    this.context.drawImage(bitmap, x, y);
  }

  /** @param {string} text a numeral, or a plus sign for the fixation cross */
  write(text) {
    this.clear();
    this.context.fillStyle = this.ink;
    if (text !== '+') {
      this.context.fillText(text, this.side / 2, this.side / 2);
      return;
    }
    const across = Math.min(innerWidth, innerHeight) * devicePixelRatio;
    const long = 2 * Math.round((CROSS.length * across) / 2);
    const thin = 2 * Math.max(1, Math.round((CROSS.width * across) / 2));
    this.context.fillRect((this.side - long) >> 1, (this.side - thin) >> 1, long, thin);
    this.context.fillRect((this.side - thin) >> 1, (this.side - long) >> 1, thin, long);
  }
}

/**
 * What tells when each change was really seen, in browsers that say so (Element Timing): a dot
 * behind the pictures that comes with it, and is drawn in the same frame.
 */
class Marks {
  /**
   * @param {HTMLElement} view
   * @param {number} changes
   */
  constructor(view, changes) {
    /** @type {(number | null)[]} */
    this.times = Array(changes).fill(null);
    this.dots = this.times.map((_, place) => {
      const dot = make('img', { src: DOT, alt: '', className: 'mark', 'aria-hidden': 'true' });
      dot.setAttribute('elementtiming', String(place));
      return dot;
    });
    view.prepend(...this.dots);
    this.observer = new PerformanceObserver((list) => this.note(list.getEntries()));
    if (tellsPresentations) this.observer.observe({ type: 'element' });
  }

  /** @param {number} place */
  come(place) {
    const dot = this.dots[place];
    if (dot) dot.style.visibility = 'visible';
  }

  /** @param {PerformanceEntryList} entries */
  note(entries) {
    for (const entry of /** @type {any[]} */ (entries)) {
      if (entry.element && this.dots.includes(entry.element) && entry.renderTime > 0) {
        this.times[Number(entry.identifier)] = entry.renderTime;
      }
    }
  }

  /**
   * Have something drawn in every frame where nothing is told: a browser that falls behind by two of
   * them holds its callbacks back.
   * @param {number} number of the callback
   */
  beat(number) {
    const dot = this.dots[0];
    if (dot && !tellsPresentations) dot.style.visibility = number % 2 ? 'visible' : 'hidden';
  }

  /** @returns {Promise<number[] | null>} when each change was seen; null where that is not told */
  async presented() {
    this.note(this.observer.takeRecords());
    for (let ms = 0; tellsPresentations && ms < STILL_TOLD_MS; ms += LOOK_MS) {
      if (!this.times.includes(null)) break;
      await pause(LOOK_MS);
    }
    this.observer.disconnect();
    const known = this.times.filter((time) => time !== null);
    return known.length === this.times.length ? known : null;
  }
}

/**
 * Let the cues stand for their time each; the last one still stands when this returns.
 * @param {FlashStep} step
 * @param {Screen} screen
 * @param {AbortSignal} left
 */
async function cue({ cues }, screen, left) {
  for (const { text, ms } of cues) {
    const onset = await frame();
    screen.write(text);
    for (let now = onset; now - onset < ms; now = await frame()) left.throwIfAborted();
  }
}

/**
 * Draw the pictures by counting frames. A callback is called once for each; what it draws is seen
 * at the next change of the screen. Nothing is made, laid out or decoded on the way.
 * @param {FlashStep} step
 * @param {Screen} screen
 * @param {Marks} marks
 * @param {AbortSignal} left
 * @returns {Promise<Float64Array>} of each callback when its frame began and when it was done; the
 *   last one has taken the last picture away
 */
function exposed(step, screen, marks, left) {
  const changes = [step.lead];
  for (const { frames } of step.pictures) changes.push((changes.at(-1) ?? 0) + frames);
  const end = changes.at(-1) ?? 0;
  const times = new Float64Array(2 * (end + 1));
  let [number, next] = [0, 0];
  return new Promise((resolve) => {
    /** @param {number} began */
    const callback = (began) => {
      if (left.aborted) return;
      if (number < end) requestAnimationFrame(callback);
      if (number === changes[next]) {
        if (number < end) screen.draw(next);
        else screen.clear();
        marks.come(next);
        next += 1;
      }
      marks.beat(number);
      times[2 * number] = began;
      times[2 * number + 1] = performance.now();
      if (number === end) resolve(times);
      number += 1;
    };
    requestAnimationFrame(callback);
  });
}

/**
 * @param {Float64Array} times
 * @returns {[number, number][]}
 */
function pairsOf(times) {
  /** @type {[number, number][]} */
  const pairs = [];
  for (let at = 0; at < times.length; at += 2) {
    const began = times[at] ?? 0;
    pairs.push([began, Math.max(began, times[at + 1] ?? 0)]);
  }
  return pairs;
}
