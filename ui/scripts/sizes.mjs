// Prints what a first visit loads, and what every other part of the pages weighs, gzipped. It fails when all that has to
// be there before anyone can sign in passes 250 kB: the page, scripts, styles, the font, and the words of a language.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const folder = process.argv[2];
const page = readFileSync(join(folder, "index.html"), "utf8");
const kB = (bytes) => `${(bytes / 1000).toFixed(1).padStart(7)} kB`;

/** weigh is a file as it travels: gzipped, but for a font, which is compressed. */
function weigh(name) {
  const content = readFileSync(join(folder, name));
  return name.endsWith(".woff2") ? content.length : gzipSync(content, { level: 9 }).length;
}

const files = readdirSync(join(folder, "assets"))
  .filter((name) => /\.(js|css|woff2)$/.test(name))
  .map((name) => ({ name, size: weigh(`assets/${name}`) }));
// Of the languages one is loaded: the largest counts.
const words = files.filter(({ name }) => /^[a-z]{2}-first-/.test(name)).sort((a, b) => b.size - a.size);
if (words.length === 0) throw new Error("no file has the first words of a language");

/** needed are files with those that they import. */
function needed(names, all = new Set()) {
  for (const name of names.filter((name) => !all.has(name))) {
    all.add(name);
    if (!name.endsWith(".js")) continue;
    const text = readFileSync(join(folder, "assets", name), "utf8");
    needed(
      [...text.matchAll(/\b(?:from|import)"\.\/([^"]+)"/g)].map(([, other]) => other),
      all,
    );
  }
  return all;
}

const named = files.map(({ name }) => name).filter((name) => page.includes(name));
const atOnce = needed([...named, words[0].name]);
const kinds = { page: weigh("index.html") };
for (const { name, size } of files) {
  const first = atOnce.has(name);
  const kind = words.some((w) => w.name === name) ? "words" : name.split(".").at(-1);
  if (first) kinds[kind] = (kinds[kind] ?? 0) + size;
  console.log(`${kB(size)}  ${first ? "at once " : "on visit"}  ${name}`);
}
const { js, css, woff2 } = kinds;
if (!js || !css || !woff2) throw new Error("the page names no script, no style or no font");
const first = Object.values(kinds).reduce((sum, size) => sum + size, 0);
for (const [kind, size] of Object.entries(kinds)) console.log(`${kB(size)}  ${kind}`);
console.log(`${kB(first)}  the first load, gzip; the bound is 250 kB`);
if (first > 250_000) process.exit(1);
