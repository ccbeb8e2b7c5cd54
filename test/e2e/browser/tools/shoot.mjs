// How pictures are taken: in which views, and of what.
import { join } from "node:path";
import { look } from "../harness/axe.mjs";
import { at } from "../harness/pages.mjs";
import { openBrowser, settled, Visitor } from "../harness/visitor.mjs";
import { scenes } from "./scenes.mjs";

const wide = { width: 1440, height: 900 };
const full = { width: 1920, height: 1080 };
const narrow = { width: 390, height: 844 };
const everyView = [
  { name: "light-wide", scheme: "light", language: "en", ...wide },
  { name: "light-full", scheme: "light", language: "en", ...full },
  { name: "dark-wide", scheme: "dark", language: "en", ...wide },
  { name: "dark-narrow", scheme: "dark", language: "en", ...narrow },
  { name: "light-narrow", scheme: "light", language: "en", ...narrow },
  { name: "german", scheme: "light", language: "de", ...wide },
];

/** shoot takes a picture of all of a page: as tall as the page, so that what sticks to the window's edges goes all the way. */
async function shoot(page, path, view, whole) {
  for (let i = 0; i < 2 && whole; i++) {
    const height = await page.evaluate(() => document.documentElement.scrollHeight);
    await page.setViewportSize({ width: view.width, height: Math.max(height, view.height) });
    await page.evaluate(() => new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go))));
  }
  await page.screenshot({ path });
}

/** takes a scene's pictures. One that opens something is visited anew for each. */
async function take({ name, path, before, open, shows, media }, views, visitor, world, shown, folder) {
  const { page } = visitor;
  await before?.(world);
  for (const [i, view] of views.entries()) {
    const anew = i === 0 || open || view.language !== views[i - 1].language;
    await page.setViewportSize(view);
    if (anew) {
      await page.goto(at(path, shown));
      await page.evaluate((language) => localStorage.setItem("keyward-language", language), view.language);
      await page.reload();
      await settled(page);
    }
    await look(page, view);
    await open?.(page, { narrow: view.width < 700, german: view.language === "de" });
    await shows?.(page).waitFor();
    await look(page, view);
    if (media) await page.emulateMedia({ media });
    await shoot(page, join(folder, `${name}-${view.name}.png`), view, !open);
    if (media) await page.emulateMedia({ media: "screen" });
  }
}

/**
 * pictures takes them of the scenes, in the views, whose names the patterns fit, and gives those that went wrong. shown
 * is for at() of pages.mjs.
 */
export async function pictures(world, shown, folder, { scene = /./, view = /./ } = {}) {
  const browser = await openBrowser();
  const views = everyView.filter(({ name }) => view.test(name));
  const visitors = new Map();
  const wrong = [];
  try {
    for (const wanted of scenes.filter(({ name }) => scene.test(name))) {
      const { name, as } = wanted;
      if (!visitors.has(as)) {
        const visitor = await Visitor.open(browser, world, { reducedMotion: "reduce" });
        if (as) await visitor.signIn(as);
        visitor.context.setDefaultTimeout(15_000); // what is missing is told, and the next one taken
        visitors.set(as, visitor);
      }
      try {
        const its = views.filter((view) => wanted.views?.test(view.name) ?? true);
        await take(wanted, its, visitors.get(as), world, shown, folder);
        console.log(`${name}: ${its.length} pictures`);
      } catch (error) {
        wrong.push(`${name}: ${error.message}`);
      }
    }
  } finally {
    await browser.close();
  }
  return wrong;
}
