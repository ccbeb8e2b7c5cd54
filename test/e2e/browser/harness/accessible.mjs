import assert from "node:assert/strict";
import { after } from "node:test";
import { judge, look, tooWide, views } from "./axe.mjs";

const table = [];
after(() => {
  if (table.length > 0) console.log(`axe-core, found in ${views.map((v) => v.name).join(" | ")}\n${table.join("\n")}`);
});

/** accessible fails for what axe-core finds on the page that is open, and for what scrolls sideways, in all views. */
export async function accessible(page, what) {
  // The elements are those of the light page: only their colours are others in the dark.
  await inspect(page, what, views, (view) => ({ colours: view.scheme === "dark" }));
}

/**
 * accessiblePart does so for a part of the page alone, by default for the dialogs that are open, and leaves the page
 * as it was. Both schemes and both widths, but not each with each: a part is the same in all of them.
 */
export async function accessiblePart(page, what, within = "[role=dialog]") {
  const before = page.viewportSize();
  await inspect(page, what, [views[0], views[2]], (view) => ({ within, colours: view.scheme === "dark" }));
  await page.setViewportSize(before);
  await page.emulateMedia({ colorScheme: null, reducedMotion: "reduce" });
}

async function inspect(page, what, seen, how) {
  const all = [];
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
    all.push(...found.map((f) => `${view.name}: ${f}`), ...wide.map((w) => `${view.name}: scrolls sideways: ${w}`));
  }
  table.push(`${row.map((n) => String(n).padStart(4)).join(" |")}  ${what}`);
  assert.deepEqual(all, [], `${what}\n${all.join("\n")}`);
}
