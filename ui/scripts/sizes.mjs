// Prints what a first visit loads, and what every other part of the pages
// weighs, gzipped. It fails when the first load passes 250 kB of JavaScript.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";

const folder = process.argv[2];
const page = readFileSync(join(folder, "index.html"), "utf8");
const weigh = (name) => gzipSync(readFileSync(join(folder, "assets", name)), { level: 9 }).length;
const kB = (bytes) => `${(bytes / 1000).toFixed(1).padStart(7)} kB`;

let first = 0;
for (const name of readdirSync(join(folder, "assets"))
  .filter((n) => /\.(js|css)$/.test(n))
  .sort()) {
  const size = weigh(name);
  const atOnce = page.includes(name);
  if (atOnce && name.endsWith(".js")) first += size;
  console.log(`${kB(size)}  ${atOnce ? "at once " : "on visit"}  ${name}`);
}
console.log(`${kB(first)}  JavaScript of the first load, gzip; the bound is 250 kB`);
if (first > 250_000) process.exit(1);
