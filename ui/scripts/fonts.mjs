// Cuts the pages' font out of Inter: the characters that src/fonts/inter.css names, the weights that we use, kerning,
// and digits of one width. The whole has twelve times the size.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import subset from "subset-font";
import { root } from "./graph.mjs";

const fonts = path.join(root, "src/fonts");
const css = readFileSync(path.join(fonts, "inter.css"), "utf8");
const sources = { inter: "latin", "inter-ext": "latin-ext" };

/** ranged lists the characters of a font's unicode-range. */
function ranged(name) {
  const [, ranges] = new RegExp(`url\\("\\./${name}\\.gen\\.woff2"\\)[^}]*unicode-range:([^;]*);`).exec(css) ?? [];
  if (!ranges) throw new Error(`inter.css has no range for ${name}`);
  let text = "";
  for (const [, from, to = from] of ranges.matchAll(/U\+([0-9A-F]+)(?:-([0-9A-F]+))?/g)) {
    for (let c = Number.parseInt(from, 16); c <= Number.parseInt(to, 16); c++) text += String.fromCodePoint(c);
  }
  return text;
}

const { resolve } = createRequire(import.meta.url);
for (const [name, part] of Object.entries(sources)) {
  const whole = readFileSync(resolve(`@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`));
  const cut = await subset(whole, ranged(name), {
    targetFormat: "woff2",
    noHinting: true,
    keepFeatures: ["kern", "tnum"],
    preserveNameIds: [0, 13, 14], // whose it is, and its license
    variationAxes: { wght: { min: 400, max: 700, default: 400 } },
  });
  writeFileSync(path.join(fonts, `${name}.gen.woff2`), cut);
}
