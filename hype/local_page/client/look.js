/** A study as a participant sees it, in a frame, with its texts beside it to be edited. */
import { found, sent } from '../../web/client/asking.js';
import { edit, escaped, load, read } from './form.js';
import { calm, query, tell } from './shared.js';

/**
 * @typedef {{ key: string, part: number, last: boolean, values: Map<string, string> }} Source
 * @typedef {{ key: string, part: number, last: boolean, names: string[], pattern: RegExp,
 *   letters: number }} Paragraph
 */

const BLANK = /\n{2,}/;
const NAMES = /\{(\w+)\}/g;
const TEXT = /^(web\.)?texts\.|\.question$/;
const texts = found('texts');
/** @type {HTMLIFrameElement} */
const frame = found('frame');
/** @type {Paragraph[]} of the texts that the preview shows, as they were when it began */
let paragraphs = [];
/** @type {Map<Text, Source>} what stands on the screen, and which text it comes from */
let sources = new Map();
let isSimulated = false;

/** @returns {HTMLElement[]} */
const fields = () => [...texts.children].map((one) => /** @type {any} */ (one));

/**
 * Keep the fields of texts; they are shown when their texts are.
 * @param {DocumentFragment} all
 */
function show(all) {
  const shown = new Set(
    fields().filter(({ hidden }) => !hidden).map(({ dataset }) => dataset['key']),
  );
  const some = /** @type {HTMLElement[]} */ ([...all.querySelectorAll('.field')]);
  texts.replaceChildren(...some.filter(({ dataset: { key = '' } }) => TEXT.test(key)));
  for (const field of fields()) {
    field.hidden = !shown.has(field.dataset['key']);
    showText(field);
  }
}

/**
 * Begin a preview, which has a record of its own.
 * @param {'own' | 'simulated'} who
 */
async function begin(who) {
  calm();
  found('news').textContent = 'The preview begins …';
  isSimulated = who === 'simulated';
  const ways = await sent(`/api/preview?${query}`, {});
  texts.replaceChildren();
  await load();
  learn();
  found('news').textContent = '';
  found('look').hidden = false;
  found('look').scrollIntoView({ block: 'nearest' });
  frame.src = ways[who];
  /** @type {HTMLAnchorElement} */ (found('alone')).href = ways[who];
  found('alone').hidden = false;
}

/** Follow what the frame shows. */
function follow() {
  const page = frame.contentDocument;
  const view = frame.contentWindow;
  const stage = page?.getElementById('stage');
  if (!page || !view || !stage) return;
  sources = new Map();
  const observer = new MutationObserver(() => look(page));
  observer.observe(stage, { childList: true });
  observer.observe(page.body, { childList: true });
  look(page);
  // Who goes to the texts beside the frame has not left the study.
  view.addEventListener('blur', (event) => {
    if (!isSimulated && document.hasFocus()) event.stopImmediatePropagation();
  }, { capture: true });
  if (!isSimulated) view.focus();
}

/** Learn how each paragraph of the study's texts looks on the screen. */
function learn() {
  paragraphs = [];
  for (const { dataset: { key = '', first = '' } } of fields()) {
    const parts = first.trim().split(BLANK);
    parts.forEach((paragraph, part) => {
      const letters = paragraph.replaceAll(NAMES, '').trim().length;
      if (letters === 0) return;
      const names = [...paragraph.matchAll(NAMES)].map(([, one]) => one ?? '');
      const source = paragraph.trim().split(NAMES)
        .map((piece, number) => number % 2 ? '([^]*?)' : escaped(piece));
      const pattern = new RegExp(`^${source.join('')}$`);
      paragraphs.push({ key, part, last: part === parts.length - 1, names, pattern, letters });
    });
  }
  paragraphs.sort((one, other) => other.letters - one.letters);
}

/**
 * Find out which texts stand on the screen.
 * @param {Document} page
 */
function look(page) {
  const walker = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  /** @type {Map<Text, Source>} */
  const now = new Map();
  while (walker.nextNode()) {
    const node = /** @type {Text} */ (walker.currentNode);
    if (node.parentElement?.closest('script, kbd, .pilot')) continue;
    const known = sources.get(node) ?? sourceOf(node.data.trim());
    if (known) now.set(node, known);
  }
  sources = now;
  const keys = new Set([...now.values()].map(({ key }) => key));
  for (const field of fields()) {
    const isShown = keys.has(field.dataset['key'] ?? '');
    field.classList.toggle('now', isShown);
    if (!isShown) continue;
    if (field.hidden) texts.append(field);
    field.hidden = false;
    showText(field);
  }
  const [top] = keys;
  const first = fields().find(({ dataset }) => dataset['key'] === top);
  if (first && !texts.contains(document.activeElement)) {
    texts.scrollTop = first.offsetTop - texts.offsetTop;
  }
}

/**
 * @param {string} text
 * @returns {Source | null}
 */
function sourceOf(text) {
  if (!text) return null;
  for (const { key, part, last, names, pattern } of paragraphs) {
    const match = pattern.exec(text);
    if (!match) continue;
    return {
      key,
      part,
      last,
      values: new Map(names.map((name, number) => [name, match[number + 1] ?? ''])),
    };
  }
  return null;
}

/**
 * Put what was typed on the screen.
 * @param {HTMLElement} field
 */
function showText(field) {
  const parts = (read(field) || (field.dataset['usual'] ?? '')).trim().split(BLANK);
  for (const [node, source] of sources) {
    if (source.key !== field.dataset['key']) continue;
    const own = source.last ? parts.slice(source.part).join('\n\n') : parts[source.part] ?? '';
    const text = own.replaceAll(NAMES, (whole, name) => source.values.get(name) ?? whole);
    if (node.data === text) continue;
    node.data = text;
    frame.contentWindow?.dispatchEvent(new Event('resize'));
  }
}

for (const who of /** @type {const} */ (['own', 'simulated'])) {
  found(who).addEventListener('click', () => begin(who).catch(tell));
}
frame.addEventListener('load', follow);
found('form').addEventListener('focusin', ({ target }) => {
  if (!isSimulated || frame.contentDocument?.querySelector('dialog')) return;
  // The preview pauses, and its button takes the focus, which the text gets back.
  const field = /** @type {HTMLElement} */ (target);
  addEventListener('blur', () => setTimeout(() => field.focus()), { once: true });
  frame.contentWindow?.dispatchEvent(new Event('blur'));
});
texts.addEventListener('input', () => fields().forEach(showText));
await edit(show).catch(tell);
