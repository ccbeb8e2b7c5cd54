import axe from "axe-core";
import { settled } from "./visitor.mjs";

/** The ways in which every page is looked at. */
export const views = ["light", "dark"].flatMap((scheme) => [
  { scheme, name: `${scheme}, wide`, width: 1280, height: 800 },
  { scheme, name: `${scheme}, narrow`, width: 360, height: 740 },
]);

/** look shows a page in one of the views, and waits until it stands still. */
export async function look(page, { scheme, width, height }) {
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.setViewportSize({ width, height });
  await page.waitForFunction((s) => document.documentElement.dataset.mantineColorScheme === s, scheme);
  await settled(page);
  await page.evaluate(() =>
    Promise.all(
      document
        .getAnimations()
        .filter((a) => Number.isFinite(a.effect.getComputedTiming().endTime))
        .map((a) => a.finished.catch(() => {})),
    ),
  );
}

/**
 * judge gives what axe-core finds wrong on a page, one line each. The rules
 * are all of its own, with the size of targets (WCAG 2.2) besides.
 */
export async function judge(page) {
  if (!(await page.evaluate(() => "axe" in window))) await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() =>
    window.axe.run(document, { rules: { "target-size": { enabled: true } }, resultTypes: ["violations"] }),
  );
  const say = (v, n) =>
    `${v.id} (${v.impact}): ${n.target.join(" ")}: ${n.failureSummary.split("\n").slice(1).join(";").trim()}`;
  // A menu or a dialog hangs at the end of the page, beside its landmarks, as it should.
  const hanging = (v, n) => v.id === "region" && /data-portal/.test(n.target.join(" "));
  const found = violations.flatMap((v) => v.nodes.filter((n) => !hanging(v, n)).map((n) => say(v, n)));
  return { found, rules: passes.length + violations.length };
}

/** tooWide gives the elements that make a page scroll sideways. */
export function tooWide(page) {
  return page.evaluate(() => {
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth <= width) return [];
    return [...document.querySelectorAll("main *")]
      .filter((e) => e.getBoundingClientRect().right > width + 1)
      .slice(0, 5)
      .map((e) => `${e.tagName.toLowerCase()}.${e.className} to ${Math.round(e.getBoundingClientRect().right)} px`);
  });
}
