import assert from "node:assert/strict";
import { after } from "node:test";
import { judge, look, tooWide, views } from "./axe.mjs";

const table = [];
after(() => {
  if (table.length > 0) console.log(`axe-core, found in ${views.map((v) => v.name).join(" | ")}\n${table.join("\n")}`);
});

// make test looks at each page in both schemes and both widths, and at each of its parts once; make test-all in all views.
const all = process.env.TIER === "all";
const ofPages = all ? views : [views[0], views[2]];
const ofParts = all ? [views[0], views[2]] : [views[0]];

/** accessible fails for what axe-core finds on the page that is open, and for what scrolls sideways. */
export async function accessible(page, what) {
  // The elements are those of the light page: only their colours are others in the dark.
  await inspect(page, what, ofPages, (view) => ({ colours: view.scheme === "dark" }));
}

/**
 * accessiblePart does so for a part of the page alone, by default for the dialogs that are open, and leaves the page
 * as it was.
 */
export async function accessiblePart(page, what, within = "[role=dialog]") {
  const before = page.viewportSize();
  await inspect(page, what, ofParts, (view) => ({ within, colours: view.scheme === "dark" }));
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
}

async function inspect(page, what, seen, how) {
  const faults = [];
  const row = [];
  for (const view of views) {
    if (!seen.includes(view)) {
      row.push("");
      continue;
    }
    await look(page, view);
    const { found, rules } = await judge(page, how(view));
    assert.ok(rules > 0, `${what}: no rule applied, so nothing was looked at`);
    const wide = await tooWide(page);
    row.push(found.length + wide.length);
    faults.push(...found.map((f) => `${view.name}: ${f}`), ...wide.map((w) => `${view.name}: scrolls sideways: ${w}`));
  }
  table.push(`${row.map((n) => String(n).padStart(4)).join(" |")}  ${what}`);
  assert.deepEqual(faults, [], `${what}\n${faults.join("\n")}`);
}
