/** Elements of a page, made in one go, and the room in which all pages are shown. */

const stage = /** @type {HTMLElement} */ (document.getElementById('stage'));

/** @typedef {Node | string | null | undefined | false} Child */

/**
 * Make an element. `aria-…` and `role` are attributes, all else are properties.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, any>} properties
 * @param {...Child} children
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith('aria-') || name === 'role') element.setAttribute(name, value);
    else Object.assign(element, { [name]: value });
  }
  element.append(
    ...children.filter((child) => child !== null && child !== undefined && child !== false),
  );
  return element;
}

/**
 * Make what is shown equal to another element. Parts that are equal stay, with focus and scrolling.
 * @param {Element} shown
 * @param {Element} now
 */
export function patch(shown, now) {
  const [parts, others] = [[...shown.children], [...now.children]];
  const isSame = shown.cloneNode(false).isEqualNode(now.cloneNode(false));
  if (isSame && parts.length > 0 && parts.length === others.length) {
    parts.forEach((part, place) => patch(part, /** @type {Element} */ (others[place])));
  } else if (!shown.isEqualNode(now)) {
    shown.replaceWith(now);
  }
}

/**
 * Lay out a view that is not seen yet, above the one that is. The study's name comes first, for
 * screen readers alone: when a view goes away, Orca skips the first text of the next one.
 * @param {string} kind
 * @param {...Child} children
 */
export function prepare(kind, ...children) {
  const name = make('p', { className: 'name' }, document.title);
  const view = make('section', { className: `${kind} unseen` }, name, ...children);
  stage.append(view);
  return view;
}

/**
 * Show a view in place of all others. Screen readers begin at its heading, and go on with its words.
 * @param {HTMLElement} view
 */
export function reveal(view) {
  stage.replaceChildren(view);
  view.classList.remove('unseen');
  const heading = view.querySelector('h1');
  if (heading) {
    heading.tabIndex = -1;
    const words = view.querySelector('.prompt, .body, .asked');
    if (words) heading.ariaDescribedByElements = [words];
    heading.focus({ preventScroll: true });
  }
  scrollTo(0, 0);
}

/**
 * Show something at the next frame, and give when that began.
 * @param {string} kind
 * @param {...Child} children
 */
export async function show(kind, ...children) {
  const onset = await frame();
  reveal(prepare(kind, ...children));
  return onset;
}

/** @param {string[]} body */
export const paragraphs = (body) =>
  make('div', { className: 'body' }, ...body.map((text) => make('p', {}, text)));

/**
 * Wait for the next frame, and give when it began. What is done at once after it is seen with it.
 * @returns {Promise<number>}
 */
export const frame = () => new Promise(requestAnimationFrame);

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
