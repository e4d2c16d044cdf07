// What a reader can do beyond reading. Without this script the page says the same.
"use strict";

const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const byId = (id) => document.getElementById(id);
const root = document.documentElement;
root.classList.add("js");
for (const part of all("[data-script]")) part.hidden = false;

// Tables: a click on a heading sorts upwards, a second one downwards, a third restores.
const words = new Intl.Collator(root.lang, { numeric: true, sensitivity: "base" });
const NEXT = { none: "ascending", ascending: "descending", descending: "none" };

function sortKey(cell, numeric) {
  const key = cell.dataset.sort ?? cell.textContent.trim();
  if (key === "") return null;
  return numeric ? Number(key) : key;
}

function compare(a, b, sign) {
  // What is missing stays last, whichever way round the rest is.
  if (a === null || b === null) return (a === null) - (b === null);
  return sign * (typeof a === "number" ? (a > b) - (a < b) : words.compare(a, b));
}

function sortBy(table, heading, asWritten) {
  const order = NEXT[heading.getAttribute("aria-sort") ?? "none"];
  for (const other of all("thead th", table)) other.removeAttribute("aria-sort");
  const body = table.tBodies[0];
  if (order === "none") return body.append(...asWritten);
  heading.setAttribute("aria-sort", order);
  const numeric = heading.matches(".number, .interval");
  const sign = order === "ascending" ? 1 : -1;
  const keyed = asWritten.map((row) => [sortKey(row.cells[heading.cellIndex], numeric), row]);
  keyed.sort(([a], [b]) => compare(a, b, sign));
  body.append(...keyed.map(([, row]) => row));
}

for (const table of all("table:not([data-unsorted])")) {
  const rows = [...table.tBodies[0].rows];
  if (rows.length < 2) continue;
  for (const heading of all("thead th", table)) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading, rows));
    heading.append(button);
  }
}

// Looking a condition up: rows, panels and images of other conditions go out of sight.
const plain = (name) => name.normalize("NFKC").toLocaleLowerCase().trim();
const findable = [
  ...all("[data-condition]").map((element) => [element, [element.dataset.condition]]),
  ...all("table[data-conditions] tbody tr").map((row) => [
    row,
    all("th", row).map((name) => name.textContent),
  ]),
];
const conditions = new Set(findable.flatMap(([, names]) => names));
const find = byId("find");

function lookUp() {
  const wanted = plain(find.value);
  const fits = (name) => plain(name).includes(wanted);
  for (const [element, names] of findable) element.hidden = !names.some(fits);
  const matching = [...conditions].filter(fits).length;
  byId("found").textContent = wanted && `${matching} of ${conditions.size} match`;
}

find.addEventListener("input", lookUp);
find.addEventListener("keydown", (event) => {
  if (event.key !== "Escape") return;
  find.value = "";
  lookUp();
});

// Dark and light: as the system has it, until the reader says otherwise.
const prefersDark = matchMedia("(prefers-color-scheme: dark)");
const isDark = () => (root.dataset.theme ?? (prefersDark.matches ? "dark" : "light")) === "dark";
const theme = byId("theme");
const nameTheme = () => (theme.textContent = isDark() ? "Light colours" : "Dark colours");
theme.addEventListener("click", () => {
  root.dataset.theme = isDark() ? "light" : "dark";
  nameTheme();
});
prefersDark.addEventListener("change", nameTheme);
nameTheme();

// The contents stand beside a wide page, and are folded above a narrow one.
const narrow = matchMedia("(max-width: 64rem)");
const contents = document.querySelector(".tools details");
const foldContents = () => (contents.open = !narrow.matches);
narrow.addEventListener("change", foldContents);
contents.addEventListener("click", (event) => {
  if (event.target.closest("a") && narrow.matches) contents.open = false;
});
foldContents();

// A link into the details opens them.
function unfold() {
  const target = location.hash && byId(decodeURIComponent(location.hash.slice(1)));
  const folded = target && target.querySelector(":scope > details");
  if (folded) folded.open = true;
}
addEventListener("hashchange", unfold);
unfold();

// What is wider than its place says at which end there is more.
const scrolls = all(".scroll");
function sayMore(box) {
  const left = box.scrollLeft > 1;
  const right = box.scrollLeft + box.clientWidth < box.scrollWidth - 1;
  box.dataset.more = left && right ? "both" : left ? "left" : right ? "right" : "";
}
const resized = new ResizeObserver((entries) => entries.forEach(({ target }) => sayMore(target)));
for (const box of scrolls) {
  box.addEventListener("scroll", () => sayMore(box), { passive: true });
  resized.observe(box);
}

// Where the reader is, in the contents.
const links = new Map(all(".tools a").map((link) => [link.hash.slice(1), link]));
const inView = new Set();
const watch = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting } of entries)
      inView[isIntersecting ? "add" : "delete"](target.id);
    const here = [...links.keys()].filter((id) => inView.has(id)).pop();
    for (const [id, link] of links)
      id === here ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current");
  },
  { rootMargin: "-20% 0px -70% 0px" },
);
for (const id of links.keys()) watch.observe(byId(id));

// The methods, as plain text. A page that lies in a file may not be given the clipboard.
byId("copy").addEventListener("click", async () => {
  const text = all("#methods-text :is(p, h4, li)").map((element) => {
    const copied = element.cloneNode(true);
    for (const subscript of all("sub", copied)) subscript.prepend("_");
    return copied.textContent;
  });
  try {
    await navigator.clipboard.writeText(text.join("\n\n"));
    byId("copied").textContent = "Copied.";
  } catch {
    getSelection().selectAllChildren(byId("methods-text"));
    byId("copied").textContent = "Selected: copy it with the keyboard.";
  }
});

// On paper everything is unfolded but the long tables.
const folded = all("details:not(.long)");
let wereOpen = [];
addEventListener("beforeprint", () => {
  wereOpen = folded.map((part) => part.open);
  for (const part of folded) part.open = true;
});
addEventListener("afterprint", () => folded.forEach((part, i) => (part.open = wereOpen[i])));
