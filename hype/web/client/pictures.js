/** Images: fetched once, decoded before they are wanted, in the pixels of this screen. */
import { Refused, untilItComes } from './wire.js';

/** @type {Map<string, Promise<ImageBitmap>>} as large as they are, by name */
const fetched = new Map();
/** @type {Map<string, Promise<ImageBitmap>>} as large as they are drawn, by name and size */
const sized = new Map();
/** @type {ImageBitmapOptions} */
const AS_IT_IS = { colorSpaceConversion: 'none', premultiplyAlpha: 'none' };

/**
 * Forget all pictures but these.
 * @param {string[]} names
 */
export function keepOnly(names) {
  for (const kept of [fetched, sized]) {
    for (const [key, picture] of kept) {
      if (names.some((name) => key === name || key.startsWith(`${name} `))) continue;
      kept.delete(key);
      picture.then((bitmap) => bitmap.close(), () => {});
    }
  }
}

/**
 * Begin to fetch pictures that will be wanted.
 * @param {string[]} names
 */
export function fetchAhead(names) {
  for (const name of names) picture(name).catch(() => {});
}

/** Wait until nothing is being fetched or decoded any more. */
export const settled = () => Promise.allSettled(fetched.values());

/**
 * @param {string} name
 * @returns {Promise<ImageBitmap>}
 */
function picture(name) {
  let found = fetched.get(name);
  if (!found) {
    found = fetchedPicture(name);
    fetched.set(name, found);
    found.catch(() => fetched.delete(name));
  }
  return found;
}

/** @param {string} name */
async function fetchedPicture(name) {
  const reply = await untilItComes(`picture/${name}`);
  if (!reply.ok) throw new Refused('gone', `picture ${reply.status}`);
  return createImageBitmap(await reply.blob(), AS_IT_IS);
}

/**
 * Give the longest side of some pictures, in their own pixels.
 * @param {string[]} names
 */
export async function longestSide(names) {
  const bitmaps = await Promise.all(names.map(picture));
  return Math.max(...bitmaps.flatMap(({ width, height }) => [width, height]));
}

/**
 * Give the side of the square that an image fills, in CSS pixels of the window as it is now.
 * @param {import('./wire.js').Size} size
 */
export const sideOf = ({ most, across, up }) =>
  Math.max(1, Math.floor(Math.min(most, across * innerWidth, up * innerHeight)));

/**
 * Give a picture in the pixels of this screen, within a square of `side` CSS pixels. A mask fills
 * the square; an image is as large as its own pixels, where it is not to be enlarged.
 * @param {string} name
 * @param {number} side
 * @param {{ enlarge: boolean, mask?: boolean }} how
 */
export async function pictureOf(name, side, { enlarge, mask = false }) {
  const key = `${name} ${side} ${devicePixelRatio} ${enlarge} ${mask}`;
  let found = sized.get(key);
  if (!found) {
    found = resized(await picture(name), side, enlarge, mask);
    sized.set(key, found);
  }
  return found;
}

/**
 * @param {ImageBitmap} image
 * @param {number} side
 * @param {boolean} enlarge
 * @param {boolean} mask
 */
function resized(image, side, enlarge, mask) {
  const { width, height } = image;
  const across = Math.round(side * devicePixelRatio);
  if (mask) return createImageBitmap(image, scaledTo(across, across));
  const own = side / Math.max(width, height);
  const scale = devicePixelRatio * (enlarge ? own : Math.min(1, own));
  const size = [width, height].map((pixels) => Math.max(1, Math.round(scale * pixels)));
  return createImageBitmap(image, scaledTo(size[0] ?? 1, size[1] ?? 1));
}

/**
 * @param {number} width
 * @param {number} height
 * @returns {ImageBitmapOptions}
 */
const scaledTo = (width, height) => ({
  ...AS_IT_IS,
  resizeWidth: width,
  resizeHeight: height,
  resizeQuality: 'high',
});

/**
 * Draw a picture onto a canvas of its own, pixel for pixel.
 * @param {ImageBitmap} bitmap
 * @param {HTMLCanvasElement | undefined} canvas
 */
export function draw(bitmap, canvas) {
  if (!canvas) return;
  const { width, height } = bitmap;
  Object.assign(canvas, { width, height });
  canvas.style.width = `${width / devicePixelRatio}px`;
  canvas.style.height = `${height / devicePixelRatio}px`;
  canvas.getContext('2d')?.drawImage(bitmap, 0, 0);
}
