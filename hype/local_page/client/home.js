/** The studies of a folder, and a new one made of folders of images. */
import { asked, found, sent } from '../../web/client/asking.js';
import { make } from '../../web/client/elements.js';
import { calm, draw, follow, tell } from './shared.js';

/**
 * @typedef {{ path: string, file: File }} Image
 * @typedef {{ name: string, real: boolean, folder: string, skipped: string }} Source
 * @typedef {{ images: number, formats: string[], sizes: string, some: string[],
 *   problem: string }} Folder
 */

const IMAGE = /\.(png|jpe?g?|jfif|webp|bmp|p[gp]m|gif)$/i;
/** @type {Source[]} */
const sources = [];
/** @type {HTMLFormElement} */
const form = found('new');
const zone = found('zone');

/**
 * Take images that were given, as many folders as they came in, and look at all of them.
 * @param {Image[]} images
 */
async function take(images) {
  calm();
  const byFolder = Map.groupBy(images, ({ path }) => path.split('/')[0] ?? '');
  for (const [folder, within] of byFolder) {
    const seen = within.filter(({ path }) => !/\/\./.test(path));
    const others = seen.filter(({ path }) => !IMAGE.test(path));
    const endings = new Set(others.map(({ path }) => /[^/.]*$/.exec(path)?.[0].toLowerCase()));
    const room = crypto.randomUUID();
    await drop(room, seen.filter(({ path }) => IMAGE.test(path)));
    sources.push({
      name: folder.slice(0, 64).trim() || 'model',
      real: /real|photo/i.test(folder) && !sources.some((one) => one.real),
      folder: `${room}/${folder}`,
      skipped: others.length > 0 ? `left out: ${others.length} (${[...endings].join(', ')})` : '',
    });
  }
  await scan();
}

/** The folders, and what `hype new` is to make of them. */
function wishes() {
  const { asked: card = '', ...others } = Object.fromEntries(new FormData(form));
  const [template = '', method = ''] = String(card).split(' ');
  const options = { '--template': template, '--method': method, ...others };
  return {
    options,
    name: /** @type {HTMLInputElement} */ (found('name')).value.trim(),
    sources: sources.map(({ name, real, folder }) => ({ name: real ? '' : name, folder })),
  };
}

let looks = 0;
let looked = '';
let shown = '';

/** Have the program look at what was given, and show what it says. */
async function scan() {
  looks += 1;
  const look = looks;
  const place = found('scan');
  const given = JSON.stringify(sources);
  if (given !== looked && sources.length > 0) {
    shown = '';
    place.replaceChildren(make('p', { className: 'soft' }, 'Looking at the images …'));
  }
  looked = given;
  const { command, ...said } = await sent('/api/scan', wishes()).catch((error) => {
    shown = '';
    place.replaceChildren();
    throw error;
  });
  if (look !== looks) return;
  found('command').textContent = command;
  const now = JSON.stringify([given, said]);
  if (now === shown) return;
  shown = now;
  const { folders, problem, notes } = said;
  drawSources(folders);
  if (sources.length === 0) return place.replaceChildren();
  const one = sources.length === 1 && !problem.includes('holds no image');
  const wanted = one ? 'One folder more is needed: of another model, or of real images.' : problem;
  place.replaceChildren(
    ...notes.map((/** @type {string} */ note) => make('p', { className: 'soft' }, note)),
    make('p', { className: one ? 'soft' : 'mistake' }, wanted),
  );
  if (/--(size|skip|match|keep)/.test(problem)) {
    /** @type {HTMLDetailsElement} */ (found('differ')).open = true;
  }
}

/** @param {Folder[]} folders */
function drawSources(folders) {
  const cards = sources.map((source, place) => {
    const { images, formats, sizes, some, problem } = /** @type {Folder} */ (folders[place]);
    const label = `Name of model ${place + 1}`;
    const name = make('input', { value: source.name, 'aria-label': label, hidden: source.real });
    name.addEventListener('change', () => source.name = name.value.trim());
    const real = make('input', { type: 'checkbox', checked: source.real });
    real.addEventListener('change', () => source.real = real.checked);
    const counted = [`${images} images`, formats.join(', '), sizes, source.skipped].filter(Boolean);
    const remove = make('button', { type: 'button', 'aria-label': `Remove ${source.name}` }, '✕');
    remove.addEventListener('click', () => {
      sources.splice(place, 1);
      scan().catch(tell);
      found('choose').focus();
    });
    const pictures = some.map((path) => {
      const which = new URLSearchParams({ path: `${source.folder}/${path}` });
      return make('img', { src: `/api/picture?${which}`, alt: '' });
    });
    return make(
      'div',
      {},
      make('strong', {}, source.folder.split('/').at(-1)),
      name,
      make('label', { className: 'tick' }, real, 'real images'),
      make('span', { className: problem ? 'mistake' : 'soft' }, problem || counted.join(' · ')),
      remove,
      make('div', { className: 'pictures' }, ...pictures),
    );
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
 * Send the images of a folder.
 * @param {string} room where they are to lie
 * @param {Image[]} images
 */
async function drop(room, images) {
  const bar = make('progress', { max: images.length, value: 0, 'aria-label': 'Images read' });
  found('scan').replaceChildren(make('p', {}, `Reading ${images.length} images `, bar));
  const headers = { 'Content-Type': 'application/octet-stream' };
  for (const { path, file } of images) {
    const query = new URLSearchParams({ path: `${room}/${path}` });
    await asked(`/api/drop?${query}`, { method: 'PUT', headers, body: file });
    bar.value += 1;
  }
}

async function makeStudy() {
  const isJudged = /^(hype|qualification)/.test(String(new FormData(form).get('asked')));
  if (sources.length === 0) throw new Error('Drop the folders of images first (1. Images).');
  if (isJudged && !sources.some((one) => one.real)) {
    throw new Error('Which folder has the real images? Tick “real images” at it.');
  }
  const { at } = await sent('/api/new', wishes());
  const ended = () => [make('p', { className: 'mistake' }, 'No study was made.')];
  await follow(at, (_, program) => {
    if (program.begun) location.assign(`/make?${new URLSearchParams({ at })}`); // masks are made in the background
    else draw(found('made'), program, { ended });
  });
}

form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (event.submitter);
  button.disabled = true;
  calm();
  await makeStudy().catch(tell);
  button.disabled = false;
});
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
  const images = await Promise.all(folders.map((entry) => within(entry)));
  take(images.flat()).catch(tell);
});
const choose = /** @type {HTMLInputElement} */ (found('choose'));
choose.addEventListener('change', () => {
  const files = [...(choose.files ?? [])];
  take(files.map((file) => ({ path: file.webkitRelativePath, file }))).catch(tell);
  choose.value = '';
});
form.addEventListener('change', ({ target }) => {
  if (!zone.contains(/** @type {Node} */ (target))) scan().catch(tell);
});
