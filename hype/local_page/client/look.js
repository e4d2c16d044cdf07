/** A study as a participant sees it, in a frame, with its texts beside it to be edited. */
import { found, sent } from '../../web/client/asking.js';
import { add, controls, edit, escaped, fieldsOf, load } from './form.js';
import { calm, query, tell } from './shared.js';

/**
 * @typedef {import('./form.js').Field} Field
 * @typedef {{ key: string, part: number, last: boolean, values: Map<string, string> }} Source
 * @typedef {{ key: string, part: number, last: boolean, names: string[], pattern: RegExp,
 *   letters: number }} Paragraph
 */

const BLANK = /\n{2,}/;
const NAMES = /\{(\w+)\}/g;
/** @type {HTMLIFrameElement} */
const frame = found('frame');
/** @type {Map<string, Field>} the texts that can be edited, by their keys */
let fields = new Map();
/** @type {Paragraph[]} what the preview's server says, as it was when the preview began */
let paragraphs = [];
/** @type {Map<Text, Source>} what stands on the screen, and which text it comes from */
let sources = new Map();
let isSimulated = false;

/** @param {import('./form.js').Form} form */
function show(form) {
  fields = fieldsOf(form);
  for (const [key, one] of controls) {
    one.first = String(fields.get(key)?.held ?? one.field.usual);
    if (one.read() !== one.first) one.change(one.first);
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
  controls.clear();
  found('texts').replaceChildren();
  await load();
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
  const words = page?.getElementById('words')?.textContent;
  if (!page || !view || !stage || !words) return;
  learn(JSON.parse(words));
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

/**
 * Learn how each paragraph of the study's texts looks on the screen.
 * @param {Record<string, string>} words
 */
function learn(words) {
  paragraphs = [];
  for (const [key, field] of fields) {
    const name = field.place.at(-1) ?? '';
    const value = field.held ?? field.usual;
    const isText = /^(web\.)?texts\./.test(key);
    const text = isText ? words[name] : name === 'question' && value;
    if (typeof text !== 'string' || !text) continue;
    fields.set(key, { ...field, held: text, usual: field.held === null ? text : field.usual });
    const parts = text.trim().split(BLANK);
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
  for (const key of keys) {
    const field = fields.get(key);
    if (controls.has(key)) put(key);
    else if (field) offer(key, field);
  }
  for (const [key, { element }] of controls) element.classList.toggle('now', keys.has(key));
  const texts = found('texts');
  const first = /** @type {HTMLElement | null} */ (texts.querySelector('.now'));
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
 * Offer a text to be edited.
 * @param {string} key
 * @param {Field} field
 */
function offer(key, field) {
  const { element } = add(field);
  element.addEventListener('input', () => put(key));
  element.addEventListener('focusin', () => light(key, true));
  element.addEventListener('focusout', () => light(key, false));
  found('texts').append(element);
}

/**
 * Put what was typed on the screen.
 * @param {string} key
 */
function put(key) {
  const { read, field } = /** @type {import('./form.js').Control} */ (controls.get(key));
  const parts = (read() || String(field.usual)).trim().split(BLANK);
  for (const [node, source] of sources) {
    if (source.key !== key) continue;
    const own = source.last ? parts.slice(source.part).join('\n\n') : parts[source.part] ?? '';
    const text = own.replaceAll(NAMES, (whole, name) => source.values.get(name) ?? whole);
    if (node.data !== text) node.data = text;
  }
  frame.contentWindow?.dispatchEvent(new Event('resize'));
}

/**
 * Show where a text stands on the screen.
 * @param {string} key
 * @param {boolean} on
 */
function light(key, on) {
  for (const [{ parentElement }, source] of sources) {
    if (source.key !== key || !parentElement) continue;
    parentElement.style.outline = on ? '3px solid' : '';
    parentElement.style.outlineOffset = on ? '4px' : '';
  }
}

for (const who of /** @type {const} */ (['own', 'simulated'])) {
  found(who).addEventListener('click', () => begin(who).catch(tell));
}
frame.addEventListener('load', follow);
found('form').addEventListener('focusin', () => {
  if (isSimulated) frame.contentWindow?.dispatchEvent(new Event('blur'));
});
await edit(show).catch(tell);
