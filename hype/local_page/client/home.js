/** The studies of a folder, and a new one made of folders of images. */
import { make } from '../../web/client/elements.js';
import { asked, calm, draw, follow, found, sent, tell } from './shared.js';

/**
 * @typedef {{ path: string, file: File }} Image
 * @typedef {{ name: string, real: boolean, images: Image[], folder: string, skipped: string,
 *   dropped: boolean }} Source
 */

const IMAGE = /\.(png|jpe?g?|jfif|webp|bmp|p[gp]m|gif)$/i;
const AT_ONCE = 4;
/** @type {Source[]} */
const sources = [];
const form = found('new');
const zone = found('zone');

/** @param {string} id */
const typed = (id) => /** @type {HTMLInputElement} */ (found(id)).value.trim();

/** @param {string} id */
const ticked = (id) => /** @type {HTMLInputElement} */ (found(id)).checked;

async function begin() {
  const home = await asked('/api/home');
  const links = home.studies.map((/** @type {{ at: string, name: string }} */ { at, name }) =>
    make('li', {}, make('a', { href: address(at) }, name), make('span', { className: 'soft' }, at))
  );
  found('studies').replaceChildren(...links);
  const options = home.templates.map((/** @type {[string, string]} */ [value, label]) =>
    make('option', { value }, label)
  );
  found('template').replaceChildren(...options);
}

/** @param {string} at */
const address = (at) => `/settings?at=${encodeURIComponent(at)}`;

/**
 * Take images that were given, as many folders as they came in.
 * @param {Image[]} images
 */
function take(images) {
  const byFolder = Map.groupBy(images, ({ path }) => path.split('/')[0] ?? '');
  for (const [folder, within] of byFolder) {
    const own = within.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file }));
    const seen = own.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')));
    const some = seen.filter(({ path }) => IMAGE.test(path));
    const others = seen.filter(({ path }) => !IMAGE.test(path));
    add({ name: folder, images: some, skipped: endings(others), folder, dropped: true });
  }
}

/**
 * Say how many files of which ending were skipped.
 * @param {Image[]} others
 */
function endings(others) {
  const byEnding = Map.groupBy(others, ({ path }) => /\.[^./]*$/.exec(path)?.[0] ?? 'other');
  return [...byEnding].map(([ending, some]) => `${some.length} ${ending.toLowerCase()}`).join(', ');
}

/** @param {Omit<Source, 'real'>} source */
function add(source) {
  calm();
  const real = /^(real|photo)/i.test(source.name) && !sources.some((one) => one.real);
  sources.push({ ...source, name: source.name.slice(0, 64).trim() || 'model', real });
  drawSources();
}

function drawSources() {
  const cards = sources.map((source, place) => {
    const label = `Name of model ${place + 1}`;
    const name = make('input', { value: source.name, 'aria-label': label, hidden: source.real });
    name.addEventListener('input', () => source.name = name.value.trim());
    const real = make('input', { type: 'checkbox', checked: source.real });
    real.addEventListener('change', () => {
      source.real = real.checked;
      name.hidden = real.checked;
    });
    const skipped = source.skipped ? `, skipped: ${source.skipped}` : '';
    const what = source.dropped ? `${source.images.length} images${skipped}` : source.folder;
    const remove = make('button', { type: 'button', 'aria-label': `Remove ${source.name}` }, '✕');
    remove.addEventListener('click', () => {
      sources.splice(place, 1);
      drawSources();
      found('choose').focus();
    });
    const tick = make('label', { className: 'tick' }, real, 'real images');
    return make('div', {}, name, tick, make('span', { className: 'soft' }, what), remove);
  });
  found('sources').replaceChildren(...cards);
}

/**
 * Read what was dropped, folders and the folders in them.
 * @param {FileSystemEntry} entry
 * @param {string} before
 * @returns {Promise<Image[]>}
 */
async function within(entry, before = '') {
  const path = `${before}${entry.name}`;
  if (entry.isFile) {
    const one = /** @type {FileSystemFileEntry} */ (entry);
    return [{ path, file: await new Promise((resolve, reject) => one.file(resolve, reject)) }];
  }
  const reader = /** @type {FileSystemDirectoryEntry} */ (entry).createReader();
  /** @type {Image[]} */
  const found = [];
  for (;;) {
    /** @type {FileSystemEntry[]} */
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (some.length === 0) return found;
    for (const one of some) found.push(...await within(one, `${path}/`));
  }
}

/**
 * Send images, a few at once; gives the name of what has them.
 * @param {HTMLElement} place
 */
async function drop(place) {
  const images = sources.flatMap((source, number) =>
    source.images.map(({ path, file }) => ({ path: `${number}/${source.folder}/${path}`, file }))
  );
  if (images.length === 0) return '';
  const { drop: name } = await sent('/api/drop', {});
  const bar = make('progress', { max: images.length, value: 0, 'aria-label': 'Images sent' });
  place.replaceChildren(make('p', {}, `Sending ${images.length} images `, bar));
  const headers = { 'Content-Type': 'application/octet-stream' };
  const sending = async () => {
    for (let one = images.shift(); one; one = images.shift()) {
      const query = new URLSearchParams({ drop: name, path: one.path });
      await asked(`/api/drop?${query}`, { method: 'PUT', headers, body: one.file });
      bar.value += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sending));
  return name;
}

async function makeStudy() {
  const made = found('made');
  const template = typed('template');
  const number = typed('masks');
  const judged = template === 'hype';
  const size = typed('size');
  for (const [name, text] of [['Masks', number], ['Size', size]]) {
    if (text && !/^\d+$/.test(text)) throw new Error(`${name}: ${text} is not a whole number`);
  }
  const tells = judged || template === 'qualification';
  if (tells && sources.length > 0 && !sources.some((one) => one.real)) {
    throw new Error('Tick the folder of real images: evaluators are to tell them from the others');
  }
  const { at } = await sent('/api/new', {
    name: typed('name'),
    template,
    method: judged ? typed('method') : '',
    masks: judged && number ? Number(number) : null,
    drop: await drop(made),
    size: size ? Number(size) : null,
    skip_smaller: ticked('skip_smaller'),
    match_compression: ticked('match_compression'),
    keep: ticked('keep'),
    sources: sources.map(({ name, real, folder, dropped }, place) => ({
      name: real ? '' : name,
      folder,
      dropped: dropped ? place : null,
    })),
  });
  const ended = (/** @type {import('./shared.js').Program} */ { code }) =>
    code === 0
      ? [make('p', { className: 'good' }, make('a', { href: address(at) }, `Go to ${at}`))]
      : [make('p', { className: 'mistake' }, 'No study was made.')];
  await follow(() => asked('/api/new'), (_, program) => draw(made, program, { ended }));
}

zone.addEventListener('dragover', (event) => {
  event.preventDefault();
  zone.classList.add('over');
});
zone.addEventListener('dragleave', () => zone.classList.remove('over'));
zone.addEventListener('drop', async (event) => {
  event.preventDefault();
  zone.classList.remove('over');
  const items = [...(event.dataTransfer?.items ?? [])];
  const entries = items.map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
  const files = entries.filter((entry) => entry.isFile);
  if (files.length > 0) tell(`${files[0]?.name} is not a folder: drop whole folders`);
  const folders = entries.filter((entry) => entry.isDirectory);
  take((await Promise.all(folders.map((entry) => within(entry)))).flat());
});
const choose = /** @type {HTMLInputElement} */ (found('choose'));
choose.addEventListener('change', () => {
  take([...(choose.files ?? [])].map((file) => ({ path: file.webkitRelativePath, file })));
  choose.value = '';
});
found('add').addEventListener('click', () => {
  const folder = typed('path');
  if (!folder) return;
  const name = folder.split(/[/\\]/).findLast(Boolean) ?? '';
  add({ name, images: [], folder, skipped: '', dropped: false });
  /** @type {HTMLInputElement} */ (found('path')).value = '';
});
found('template').addEventListener('change', () => {
  for (const field of document.querySelectorAll('.hype')) {
    /** @type {HTMLElement} */ (field).hidden = typed('template') !== 'hype';
  }
});
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button.main'));
  button.disabled = true;
  calm();
  await makeStudy().catch(tell);
  button.disabled = false;
});
await begin().catch(tell);
