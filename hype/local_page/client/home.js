/** The studies of a folder, and a new one made of folders of images. */
import { make } from '../../web/client/elements.js';
import { asked, calm, draw, follow, found, sent, tell } from './shared.js';

/**
 * @typedef {{ path: string, file: File }} Image
 * @typedef {{ name: string, real: boolean, images: Image[], folder: string, skipped: string,
 *   dropped: boolean, number: number }} Source
 * @typedef {{ images: number, formats: string[], sizes: string, some: string[],
 *   problem: string }} Folder
 */

const IMAGE = /\.(png|jpe?g?|jfif|webp|bmp|p[gp]m|gif)$/i;
const AT_ONCE = 4;
/** @type {Source[]} */
const sources = [];
let added = 0;
/** What the program calls the place of the images that were dropped. */
let dropName = '';
const form = /** @type {HTMLFormElement} */ (found('new'));
const zone = found('zone');

/** @param {string} id */
const typed = (id) => /** @type {HTMLInputElement} */ (found(id)).value.trim();

/** @param {string} id */
const ticked = (id) => /** @type {HTMLInputElement} */ (found(id)).checked;

/** Of the card that is chosen: the template, and the method if it has one. */
const chosen = () => /** @type {FormData} */ (new FormData(form)).get('asked')?.toString() ?? '';

/**
 * Take images that were given, as many folders as they came in.
 * @param {Image[]} images
 */
async function take(images) {
  const byFolder = Map.groupBy(images, ({ path }) => path.split('/')[0] ?? '');
  for (const [folder, within] of byFolder) {
    const own = within.map(({ path, file }) => ({ path: path.slice(folder.length + 1), file }));
    const seen = own.filter(({ path }) => !path.split('/').some((part) => part.startsWith('.')));
    const some = seen.filter(({ path }) => IMAGE.test(path));
    const others = seen.filter(({ path }) => !IMAGE.test(path));
    await add({ name: folder, images: some, skipped: endings(others), folder, dropped: true });
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

/**
 * Take a folder, send its images if they were dropped, and look at all of them.
 * @param {Omit<Source, 'real' | 'number'>} source
 */
async function add(source) {
  calm();
  const real = /real|photo/i.test(source.name) && !sources.some((one) => one.real);
  const name = source.name.slice(0, 64).trim() || 'model';
  const own = { ...source, name, real, number: added };
  added += 1;
  if (own.dropped) await drop(own);
  sources.push(own);
  await scan();
}

/** What the program takes for a folder of images. */
const given = () =>
  sources.map(({ name, real, folder, dropped, number }) => ({
    name: real ? '' : name,
    folder,
    dropped: dropped ? number : null,
  }));

/** What is made of the folders. */
function wishes() {
  const [template = '', method = ''] = chosen().split(' ');
  return {
    template,
    method,
    drop: dropName,
    size: whole('size'),
    skip_smaller: ticked('skip_smaller'),
    match_compression: ticked('match_compression'),
    keep: ticked('keep'),
    sources: given(),
  };
}

/**
 * Give the whole number that was typed, if any.
 * @param {string} id
 */
function whole(id) {
  const text = typed(id);
  if (text === '') return null;
  if (/^[1-9]\d*$/.test(text)) return Number(text);
  found(id).focus();
  throw new Error(
    `${found(id).closest('.field')?.querySelector('label')?.textContent}: ` +
      `${text} is not a whole number`,
  );
}

let looks = 0;

/** Have the program look at the folders, and show what it says. */
async function scan() {
  looks += 1;
  const look = looks;
  const place = found('scan');
  if (sources.length === 0) {
    found('sources').replaceChildren();
    return place.replaceChildren();
  }
  place.replaceChildren(make('p', { className: 'soft' }, 'Looking at the images …'));
  const { folders, problem, notes } = await sent('/api/scan', wishes()).catch((error) => {
    place.replaceChildren();
    throw error;
  });
  if (look !== looks) return;
  drawSources(folders);
  const one = sources.length === 1 && !problem.includes('holds no image');
  const said = one ? 'One folder more is needed: of another model, or of real images.' : problem;
  place.replaceChildren(
    ...notes.map((/** @type {string} */ note) => make('p', { className: 'soft' }, note)),
    make('p', { className: one ? 'soft' : 'mistake' }, said),
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
    name.addEventListener('change', () => {
      source.name = name.value.trim();
      scan().catch(tell);
    });
    const real = make('input', { type: 'checkbox', checked: source.real });
    real.addEventListener('change', () => {
      source.real = real.checked;
      scan().catch(tell);
    });
    const skipped = source.skipped ? [`left out: ${source.skipped}`] : [];
    const counted = [`${images} images`, formats.join(', '), sizes, ...skipped].filter(Boolean);
    const remove = make('button', { type: 'button', 'aria-label': `Remove ${source.name}` }, '✕');
    remove.addEventListener('click', () => {
      sources.splice(place, 1);
      scan().catch(tell);
      found('choose').focus();
    });
    const pictures = some.map((path) => {
      const which = new URLSearchParams({ folder: source.folder, path });
      if (source.dropped) which.set('dropped', `${source.number}`);
      return make('img', { src: `/api/picture?${which}&drop=${dropName}`, alt: '' });
    });
    return make(
      'div',
      {},
      make('strong', {}, source.folder.split(/[/\\]/).findLast(Boolean)),
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
 * Send the images of a folder, a few at once.
 * @param {Source} source
 */
async function drop({ images, number, folder }) {
  dropName ||= (await sent('/api/drop', {})).drop;
  const bar = make('progress', { max: images.length, value: 0, 'aria-label': 'Images read' });
  found('scan').replaceChildren(make('p', {}, `Reading ${images.length} images `, bar));
  const headers = { 'Content-Type': 'application/octet-stream' };
  const sending = async () => {
    for (let one = images.shift(); one; one = images.shift()) {
      const path = `${number}/${folder}/${one.path}`;
      const query = new URLSearchParams({ drop: dropName, path });
      await asked(`/api/drop?${query}`, { method: 'PUT', headers, body: one.file });
      bar.value += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sending));
}

async function makeStudy() {
  const made = found('made');
  const isJudged = /^(hype|qualification)/.test(chosen());
  if (isJudged && sources.length > 0 && !sources.some((one) => one.real)) {
    throw new Error('Which folder has the real images? Tick “real images” at it.');
  }
  const { at, to } = await sent('/api/new', {
    ...wishes(),
    name: typed('name'),
    evaluators: whole('evaluators'),
    language: typed('language'),
    web: typed('where') === 'web',
  });
  const link = make('a', { href: to }, `Go to ${at}`);
  const ended = (/** @type {import('./shared.js').Program} */ { code }) =>
    code === 0
      ? [make('p', { className: 'good' }, link)]
      : [make('p', { className: 'mistake' }, 'No study was made.')];
  await follow(() => asked(`/api/new?${new URLSearchParams({ at })}`), (_, program) => {
    draw(made, program, { ended });
    const isRunning = program.code === null && /** @type {any} */ (program).begun;
    found('begun').replaceChildren(
      ...isRunning ? [link, ' (masks are made in the background)'] : [],
    );
  });
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
  const images = await Promise.all(folders.map((entry) => within(entry)));
  take(images.flat()).catch(tell);
});
const choose = /** @type {HTMLInputElement} */ (found('choose'));
choose.addEventListener('change', () => {
  const files = [...(choose.files ?? [])];
  take(files.map((file) => ({ path: file.webkitRelativePath, file }))).catch(tell);
  choose.value = '';
});
found('add').addEventListener('click', () => {
  const folder = typed('path');
  if (!folder) return;
  const name = folder.split(/[/\\]/).findLast(Boolean) ?? '';
  add({ name, images: [], folder, skipped: '', dropped: false }).catch(tell);
  /** @type {HTMLInputElement} */ (found('path')).value = '';
});
form.addEventListener('change', ({ target }) => {
  const { id, name } = /** @type {HTMLInputElement} */ (target);
  if (name === 'asked' || found('differ').contains(found(id))) scan().catch(tell);
});
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const button = /** @type {HTMLButtonElement} */ (form.querySelector('button.main'));
  button.disabled = true;
  calm();
  await makeStudy().catch(tell);
  button.disabled = false;
});
