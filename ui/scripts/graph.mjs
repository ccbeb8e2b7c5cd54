// What a module loads with it: its static imports and theirs. Of the packages that export everything from one file,
// only what is imported by name counts, as in the build.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const root = fileURLToPath(new URL("..", import.meta.url));

const statement = /^(?:import|export)\s+(?!type\b)(?:([^"';]*?)\s*from\s*)?["']([^"']+)["']/gm;
const dynamic = /\bimport\("([^"]+)"\)/g;

/** Packages whose one file exports all of their parts, and from where. */
const barrels = new Map(
  Object.entries({
    "@mantine/core": "esm/index.mjs",
    "@mantine/hooks": "esm/index.mjs",
    "@mantine/notifications": "esm/index.mjs",
    "@tabler/icons-react": "dist/esm/tabler-icons-react.mjs",
  }).map(([name, file]) => [name, path.join(root, "node_modules", name, file)]),
);

const parsed = new Map();

/** parse gives a file's imports: what, by name, and from where; and the modules that it loads later. */
function parse(file) {
  const known = parsed.get(file);
  if (known) return known;
  const text = /\.m?[jt]sx?$/.test(file) ? readFileSync(file, "utf8") : "";
  const imports = [...text.matchAll(statement)].map(([, what = "", from]) => ({ names: namesOf(what), from }));
  const later = [...text.matchAll(dynamic)].map(([, from]) => resolve(file, from)).filter(Boolean);
  parsed.set(file, { imports, later });
  return parsed.get(file);
}

/** namesOf lists what an import takes, by the names that the other module gives; types are nothing. */
function namesOf(what) {
  const [, before = "", list = ""] = /^([^{]*)(?:\{([^}]*)\})?/.exec(what) ?? [];
  const names = list.split(",").map((name) => name.trim().split(/\s+as\s+/)[0]);
  return [...(before.trim() ? ["default"] : []), ...names.filter((name) => name && !/^type\s/.test(name))];
}

/** resolve finds the file that an import names; null: of a package, which loads what it likes. */
function resolve(from, name) {
  if (!name.startsWith(".")) return null;
  const at = path.resolve(path.dirname(from), name);
  for (const file of [at, `${at}.ts`, `${at}.tsx`, path.join(at, "index.ts"), path.join(at, "index.tsx")]) {
    if (path.extname(file) && existsSync(file)) return file;
  }
  return null;
}

const exported = new Map();

/** partsOf says where a package that exports all from one file has each name from. */
function partsOf(name) {
  const known = exported.get(name);
  if (known) return known;
  const file = barrels.get(name);
  const parts = new Map();
  for (const [, what, from] of readFileSync(file, "utf8").matchAll(
    /^(?:import|export) \{([^}]*)\} from ["']([^"']+)["']/gm,
  )) {
    for (const one of what.split(",")) {
      const [inside, outside] = one.trim().split(/\s+as\s+/);
      parts.set(outside ?? inside, resolve(file, from));
    }
  }
  exported.set(name, parts);
  return parts;
}

/** reach is a file with all that is loaded with it. */
export function reach(file, seen = new Set()) {
  if (!file || seen.has(file)) return seen;
  seen.add(file);
  for (const { names, from } of parse(file).imports) {
    if (barrels.has(from)) for (const name of names) reach(partsOf(from).get(name), seen);
    else reach(resolve(file, from), seen);
  }
  return seen;
}

/** loadedLater lists the modules that something in a file's reach loads later, and that in theirs. */
export function loadedLater(start, found = new Set()) {
  for (const module of reach(start)) {
    for (const later of parse(module).later) {
      if (found.has(later)) continue;
      found.add(later);
      loadedLater(later, found);
    }
  }
  return found;
}

const source = (name) => path.join(root, "src", name);

/** What every visit begins with. */
export const main = source("main.tsx");
/** The frame of all pages for who is signed in. */
export const frame = source("shell/shell.tsx");
/** The pages without that frame. */
export const outside = ["login", "invitation", "signed-in", "restoring"].map((name) => source(`pages/${name}.tsx`));
