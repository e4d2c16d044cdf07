/**
 * The words of the pages, which came with this one.
 *
 * @typedef {{ title: string, body: string[] }} Words
 */

/** @type {Record<string, string>} */
const words = JSON.parse(document.getElementById('words')?.textContent ?? '{}');

/**
 * Give one of the texts, with what stands in its braces.
 * @param {string} name
 * @param {Record<string, string | number>} values
 */
export function word(name, values = {}) {
  return (words[name] ?? '').replace(/\{(\w+)\}/g, (all, key) => String(values[key] ?? all));
}

/**
 * Give a text that is a page of its own: its first paragraph is its title.
 * @param {string} name
 * @returns {Words}
 */
export function pageOf(name) {
  const [title = '', ...body] = word(name).split('\n\n');
  return { title, body };
}
