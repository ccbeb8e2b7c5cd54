import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "vite";
import { loadedLater, main, outside, reach, root } from "./graph.mjs";

const folder = path.join(root, "node_modules/@mantine/core");
const before = ["baseline", "default-css-variables", "global"];

/** styled lists the components of Mantine whose styles some of our files need. */
function styled(files: Iterable<string>): Set<string> {
  const names = new Set<string>();
  const seen = new Set<string>();
  for (const file of files) reach(file, seen);
  for (const file of seen) {
    if (file.startsWith(folder) && file.endsWith(".module.mjs")) names.add(path.basename(file, ".module.mjs"));
  }
  return names;
}

/** ordered gives the names of all styles as Mantine orders them: a component comes after those that it is made of. */
function ordered(): string[] {
  const all = readFileSync(path.join(folder, "styles.css"), "utf8");
  const at = (name: string) => all.indexOf(read(name).slice(0, 200));
  const names = readdirSync(path.join(folder, "styles")).filter((f) => f.endsWith(".css") && !f.includes(".layer."));
  return names.map((f) => path.basename(f, ".css")).sort((a, b) => at(a) - at(b));
}

function read(name: string): string {
  return readFileSync(path.join(folder, "styles", `${name}.css`), "utf8").trim();
}

/**
 * mantine gives the styles of those of Mantine's components that the pages use: first.css those of the pages that come
 * before the frame, rest.css the others. A component's parts are in the same file or in the first, so the order stays.
 */
export function mantine(): Plugin {
  const name = /^virtual:mantine\/(first|rest)\.css$/;
  const prefix = path.join(root, "src/mantine-");
  let building = true;
  return {
    name: "mantine-styles",
    configResolved(config) {
      building = config.command === "build";
    },
    resolveId(id) {
      const [, which] = name.exec(id) ?? [];
      return which ? `${prefix}${which}.css` : null;
    },
    load(id) {
      if (!id.startsWith(prefix)) return null;
      const rest = id.endsWith("rest.css");
      // While one writes pages, a component may be the first of its kind at any moment.
      if (!building) return rest ? "" : readFileSync(path.join(folder, "styles.css"), "utf8");
      const first = styled([main, ...outside]);
      const all = styled([main, ...loadedLater(main)]);
      for (const component of all) {
        if (!existsSync(path.join(folder, "styles", `${component}.css`))) this.error(`${component} has no styles`);
      }
      const wanted = (style: string) =>
        rest ? all.has(style) && !first.has(style) : before.includes(style) || first.has(style);
      return ordered().filter(wanted).map(read).join("\n");
    },
  };
}
