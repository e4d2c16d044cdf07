/** A study as a participant sees it, in a frame, with its texts beside it to be edited. */
import { make } from '../../web/client/elements.js';
import { control, escaped, say } from './form.js';
import { asked, calm, found, query, sent, tell, Wrong } from './shared.js';

/**
 * @typedef {import('./form.js').Field} Field
 * @typedef {import('./form.js').Control} Control
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
/** @type {Map<string, Control>} those that were shown, with what is typed over them */
const controls = new Map();
/** @type {Paragraph[]} what the preview's server says, as it was when the preview began */
let paragraphs = [];
/** @type {Map<Text, Source>} what stands on the screen, and which text it comes from */
let sources = new Map();
/** @type {Map<string, string>} */
const edited = new Map();
let seen = '';
let begun = false;
let isSimulated = false;

/** @param {any} form */
function take(form) {
  seen = form.seen;
  begun = form.people > 0;
  const all =
    /** @type {Field[]} */ (form.groups.flatMap((/** @type {any} */ group) => group.fields));
  fields = new Map(all.map((field) => [field.place.join('.'), field]));
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
  take(await asked(`/api/form?${query}`));
  found('news').textContent = '';
  found('texts').replaceChildren();
  controls.clear();
  edited.clear();
  update();
  found('look').hidden = false;
  fit();
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
    fields.set(key, {
      ...field,
      kind: 'text',
      held: text,
      usual: field.held === null ? text : field.usual,
    });
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
  for (const key of keys) if (edited.has(key)) put(key);
  for (const key of keys) if (!controls.has(key)) add(key);
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

/** @param {string} key */
function add(key) {
  const field = fields.get(key);
  if (!field) return;
  const one = control(field, begun && field.bears);
  controls.set(key, one);
  one.element.addEventListener('input', () => {
    edited.set(key, one.read());
    put(key);
    update();
  });
  one.element.addEventListener('focusin', () => light(key, true));
  one.element.addEventListener('focusout', () => light(key, false));
  found('texts').append(one.element);
}

/**
 * Put what was typed on the screen.
 * @param {string} key
 */
function put(key) {
  const parts = (edited.get(key) || String(fields.get(key)?.usual ?? '')).trim().split(BLANK);
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

const changed = () => [...controls.values()].filter(({ read, first }) => read() !== first);

function update() {
  const some = changed();
  for (const one of controls.values()) one.update();
  found('bar').hidden = some.length === 0;
  found('count').textContent = `${some.length} ${some.length === 1 ? 'change' : 'changes'}`;
}

/**
 * Save what was typed; the news then offers to undo it.
 * @param {string} done
 */
async function save(done) {
  calm();
  const some = changed();
  const before = some.map(({ first }) => first);
  for (const one of controls.values()) say(one, '');
  const changes = some.map(({ field, read }) => {
    const text = read();
    return { place: field.place, value: text === field.usual ? null : text || null };
  });
  try {
    seen = (await sent(`/api/form?${query}`, { seen, changes })).seen;
  } catch (error) {
    if (!(error instanceof Wrong) || error.mistakes.length === 0) throw error;
    for (const [place, text] of error.mistakes) {
      const one = controls.get(place.join('.'));
      if (!one) throw new Error(text);
      say(one, text);
      one.element.querySelector('textarea')?.focus();
    }
    return;
  }
  for (const one of some) one.first = one.read();
  update();
  const undo = make('button', { type: 'button' }, 'Undo this save');
  undo.addEventListener('click', () => {
    some.forEach((one, number) => type(one, before[number] ?? ''));
    save('Undone. ').catch(tell);
  });
  found('news').className = 'good';
  found('news').replaceChildren(done, undo);
}

/**
 * @param {Control} one
 * @param {string} text
 */
function type(one, text) {
  one.write(text);
  const key = one.field.place.join('.');
  edited.set(key, text);
  put(key);
}

/** Give the frame the size that is wanted, made smaller where there is no room for it. */
function fit() {
  const [width, height] = /** @type {HTMLSelectElement} */ (found('size')).value.split(' ').map(
    Number,
  );
  const room = found('screen').clientWidth;
  const scale = width ? Math.min(1, room / width) : 1;
  frame.style.width = width ? `${width}px` : '100%';
  frame.style.height = height ? `${height}px` : 'max(24rem, 55vh)';
  frame.style.transform = scale < 1 ? `scale(${scale})` : '';
  found('screen').style.height = height ? `${height * scale}px` : '';
}

for (const who of /** @type {const} */ (['own', 'simulated'])) {
  found(who).addEventListener('click', () => begin(who).catch(tell));
}
frame.addEventListener('load', follow);
found('size').addEventListener('change', fit);
addEventListener('resize', fit);
found('form').addEventListener('focusin', () => {
  if (isSimulated) frame.contentWindow?.dispatchEvent(new Event('blur'));
});
found('form').addEventListener('submit', (event) => {
  event.preventDefault();
  save('Saved. ').catch(tell);
});
found('undo').addEventListener('click', () => {
  for (const one of changed()) type(one, one.first);
  update();
});
addEventListener('beforeunload', (event) => {
  if (changed().length > 0) event.preventDefault();
});
await asked(`/api/form?${query}`).then(take).catch(tell);
