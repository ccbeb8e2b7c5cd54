import path from "node:path";
import type { Plugin } from "vite";
import { frame, loadedLater, main, outside, reach, root } from "./graph.mjs";

const text = path.join(root, "src/text");

/** languageOf is the language of a text. */
function languageOf(module: string): string | null {
  const [language = "", name] = path.relative(text, module).split(path.sep);
  return module.startsWith(text) && name ? language : null;
}

/** firstWords names the file for what a language begins with: the rest comes with the frame, and may refer to it. */
function firstWords(module: string): string | null {
  const language = languageOf(module);
  return language && reach(path.join(text, language, "first.ts")).has(module) ? `${language}-first` : null;
}

/** How many pages need what goes into one file for all of them, instead of a file for each set of pages. */
const many = 5;

/**
 * grouped says which file of the build a module goes into. first: what every visit begins with. frame: what comes with
 * the frame. Then what many pages share, and a file for each smaller set of pages. A module's own imports are needed
 * wherever it is, by at least as many: so they are in the same file or in one of those before, and no two files need
 * each other.
 */
function grouped(): (module: string) => string | null {
  const later = [...loadedLater(main)].filter((file) => !file.startsWith(text));
  const first = new Set([main, ...outside.slice(0, 1)].flatMap((file) => [...reach(file)]));
  const framed = reach(frame);
  const reached = later.filter((file) => file !== frame).map((file) => reach(file));
  return (module) => {
    const pages = reached.flatMap((set, i) => (set.has(module) ? [i] : []));
    if (first.has(module) || (pages.length === 0 && !framed.has(module))) return null;
    if (framed.has(module)) return "frame";
    if (pages.length >= many) return "often";
    return pages.length > 1 ? `shared-${pages.join("-")}` : null;
  };
}

/** chunks are the groups, for output.codeSplitting. */
export function chunks() {
  const group = grouped();
  return {
    groups: [
      // What every page needs: the libraries, which seldom change, and our own.
      { name: "libraries", tags: ["$initial" as const], test: /[\\/]node_modules[\\/]/, priority: 3 },
      { name: "base", tags: ["$initial" as const], priority: 2 },
      { name: firstWords, debugName: "first words", priority: 5 },
      { name: languageOf, debugName: "words", priority: 4 },
      { name: group, debugName: "shared", priority: 1 },
    ],
  };
}

/** acyclic fails a build of which two files need each other: one of them would run too early, and a page stay blank. */
export function acyclic(): Plugin {
  return {
    name: "acyclic",
    generateBundle(_, bundle) {
      const done = new Set<string>();
      const visit = (name: string, way: string[]) => {
        if (way.includes(name)) this.error(`these files need each other: ${[...way, name].join(" -> ")}`);
        const chunk = bundle[name];
        if (done.has(name) || chunk?.type !== "chunk") return;
        for (const next of chunk.imports) visit(next, [...way, name]);
        done.add(name);
      };
      for (const name of Object.keys(bundle)) visit(name, []);
    },
  };
}
