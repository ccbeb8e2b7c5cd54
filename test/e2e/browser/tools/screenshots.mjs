// Takes pictures of every page, light and dark, wide and narrow, of a server
// with a fleet of tokens on it. See scripts/screenshots.
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { look, views } from "../harness/axe.mjs";
import { fleet, fleetTokens } from "../harness/fleet.mjs";
import { at, pages } from "../harness/pages.mjs";
import { openBrowser, settled, Visitor } from "../harness/visitor.mjs";
import { World } from "../harness/world.mjs";

const folder = resolve(process.argv[2]);
mkdirSync(folder, { recursive: true });

/** What a person sees who is signed in as whoever fits the page best. */
const personal = ["/", "/tokens", "/tokens/$serial", "/certificates", "/profile"];
const scenes = [
  { name: "login", path: "/login" },
  { name: "admin-login", path: "/admin-login" },
  { name: "not-found", path: "/no/such/page" },
  ...personal.map((path) => ({ name: `carol-${nameOf(path)}`, path, as: "carol" })),
  ...pages.map(({ path }) => ({ name: nameOf(path), path, as: "admin" })),
  { name: "refused", path: "/system/settings", as: "carol" },
  { name: "blank-token", path: "/tokens/20260002", as: "carol" },
  { name: "agent-missing", path: "/tokens", as: "carol", before: (world) => world.agent.stop() },
];

function nameOf(path) {
  return path === "/" ? "overview" : path.slice(1).replaceAll("/", "-").replace(/\$\w+/, "one");
}

let world;
let browser;
let shown;
try {
  browser = await openBrowser();
  world = await World.start({ tokens: fleetTokens, agent: true });
  shown = await fleet(world);
  for (const serial of fleetTokens.slice(2)) await world.unplug(serial); // other people's
  const visitors = new Map();
  for (const { name, path, as, before } of scenes) {
    if (!visitors.has(as)) {
      const visitor = await Visitor.open(browser, world, { reducedMotion: "reduce" });
      if (as) await visitor.signIn(as);
      visitors.set(as, visitor);
    }
    const { page } = visitors.get(as);
    await before?.(world);
    await page.goto(at(path, shown));
    await settled(page);
    for (const view of views) {
      await look(page, view);
      const file = `${name}-${view.name.replace(", ", "-")}.png`;
      // As tall as the page, so that what sticks to the window's edges goes all the way.
      for (let i = 0; i < 2; i++) {
        const height = await page.evaluate(() => document.documentElement.scrollHeight);
        await page.setViewportSize({ width: view.width, height: Math.max(height, view.height) });
        await page.evaluate(
          () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
        );
      }
      await page.screenshot({ path: join(folder, file) });
    }
    console.log(`${name}: ${views.length} pictures`);
  }
} finally {
  await browser?.close();
  await world?.stop();
}
console.log(`in ${folder}`);
