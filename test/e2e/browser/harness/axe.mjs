import axe from "axe-core";
import { settled } from "./visitor.mjs";

/** The ways in which every page is looked at: each differs from the one before in one thing. */
export const views = [
  { scheme: "light", name: "light, wide", width: 1280, height: 800 },
  { scheme: "dark", name: "dark, wide", width: 1280, height: 800 },
  { scheme: "dark", name: "dark, narrow", width: 360, height: 740 },
  { scheme: "light", name: "light, narrow", width: 360, height: 740 },
];

/** look shows a page in one of the views, and waits until it stands still. */
export async function look(page, { scheme, width, height }) {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height });
  await page.waitForFunction((s) => document.documentElement.dataset.mantineColorScheme === s, scheme);
  await settled(page);
  await page.evaluate(async () => {
    const drawn = () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
    const moving = () =>
      document
        .getAnimations()
        .filter((a) => a.playState === "running" && Number.isFinite(a.effect.getComputedTiming().endTime));
    // What one movement's end begins is waited for, too.
    const still = async () => {
      for (await drawn(); moving().length > 0; await drawn()) {
        await Promise.all(moving().map((a) => a.finished.catch(() => {})));
      }
    };
    const limit = new Promise((_, reject) =>
      setTimeout(() => reject(new Error("the page never stands still")), 30_000),
    );
    await Promise.race([still(), limit]);
  });
}

/**
 * judge gives what axe-core finds wrong, one line each: on the whole page, or
 * in the elements that a selector names. The rules are all of its own, with
 * the size of targets (WCAG 2.2) besides; colours: only those about colours.
 */
export async function judge(page, { within, colours = false } = {}) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(
    async ([where, only]) => {
      const seen = await window.axe.run(where ?? document, {
        rules: { "target-size": { enabled: true } },
        resultTypes: ["violations"],
        ...(only && { runOnly: only }),
      });
      // A menu or a dialog hangs at the end of the page, beside its landmarks, as it should.
      const hangs = (n) => document.querySelector(n.target[0])?.closest("[data-portal]");
      for (const v of seen.violations) if (v.id === "region") v.nodes = v.nodes.filter((n) => !hangs(n));
      return seen;
    },
    [within, colours ? ["color-contrast", "link-in-text-block", "target-size"] : undefined],
  );
  const say = (v, n) =>
    `${v.id} (${v.impact}): ${n.target.join(" ")}: ${n.failureSummary.split("\n").slice(1).join(";").trim()}`;
  const found = violations.flatMap((v) => v.nodes.map((n) => say(v, n)));
  return { found, rules: passes.length + violations.length };
}

/** tooWide gives the elements that make a page, or a dialog on it, scroll sideways. */
export function tooWide(page) {
  return page.evaluate(() => {
    const beyond = (all, edge) =>
      [...all]
        .filter((e) => e.getBoundingClientRect().right > edge + 1)
        .slice(0, 5)
        .map((e) => `${e.tagName.toLowerCase()}.${e.className} to ${Math.round(e.getBoundingClientRect().right)} px`);
    const width = document.documentElement.clientWidth;
    const wide = document.documentElement.scrollWidth > width ? beyond(document.querySelectorAll("main *"), width) : [];
    for (const dialog of document.querySelectorAll("[role=dialog]")) {
      if (dialog.scrollWidth <= dialog.clientWidth) continue;
      wide.push(...beyond(dialog.querySelectorAll("*"), dialog.getBoundingClientRect().right));
    }
    return wide;
  });
}
