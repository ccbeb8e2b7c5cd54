// Prints how quickly pages load in chromium, and what axe-core finds on every
// page. Figures, not judgements: the tests judge. See scripts/ui-figures.
import { judge, look, tooWide, views } from "../harness/axe.mjs";
import { fleet, fleetTokens } from "../harness/fleet.mjs";
import { at, pages } from "../harness/pages.mjs";
import { observe, seen } from "../harness/shift.mjs";
import { openBrowser, settled, Visitor } from "../harness/visitor.mjs";
import { World } from "../harness/world.mjs";

const rounds = 5;

/** load goes to a page and measures. */
async function load(page, path) {
  const session = await page.context().newCDPSession(page);
  await session.send("Network.enable");
  let bytes = 0;
  let files = 0;
  session.on("Network.loadingFinished", (e) => {
    bytes += e.encodedDataLength;
    files += e.encodedDataLength > 0 ? 1 : 0;
  });
  await page.goto(path);
  await settled(page);
  const { moved: _, ...figures } = await seen(page);
  const fcp = await page.evaluate(() => performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? 0);
  await session.detach();
  return { ...figures, fcp, kB: bytes / 1000, files };
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];

async function loads(browser, world) {
  console.log(`load, median of ${rounds}           FCP ms  LCP ms   shift  blocked ms      kB  requests`);
  for (const [path, as] of [
    ["/login", undefined],
    ["/", "carol"],
    ["/", "admin"],
    ["/tokens", "carol"],
    ["/admin/tokens", "admin"],
  ]) {
    const taken = { cold: [], warm: [] };
    for (let i = 0; i < rounds; i++) {
      const visitor = await Visitor.open(browser, world);
      await visitor.context.addInitScript(observe);
      if (as) await cookie(visitor, world, as);
      taken.cold.push(await load(visitor.page, path));
      taken.warm.push(await load(visitor.page, path));
      await visitor.context.close();
    }
    for (const [kind, all] of Object.entries(taken)) {
      const m = (key, digits = 0, width = 8) =>
        median(all.map((f) => f[key]))
          .toFixed(digits)
          .padStart(width);
      const what = `${path}${as ? ` as ${as}` : ""}, ${kind}`.padEnd(28);
      console.log(
        `${what}${m("fcp")}${m("lcp")}${m("shift", 3)}${m("blocked", 0, 12)}${m("kB", 1)}${m("files", 0, 10)}`,
      );
    }
  }
}

/** cookie signs in without loading anything, so that the first page is a cold one. */
async function cookie(visitor, world, name) {
  const { username, password } = world.people[name];
  const answer = await visitor.context.request.post("/api/auth/login", {
    headers: { "X-Keyward-Client": "web", Origin: world.site },
    data: { username, password },
  });
  if (!answer.ok()) throw new Error(`signing in: ${answer.status()} ${await answer.text()}`);
}

/** shifts measures how much every page moves while it loads. */
async function shifts(browser, world) {
  const widths = [1280, 360];
  console.log(`\ncumulative layout shift, ${widths.join(" | ")} px wide`);
  const visits = [
    ["/login", undefined],
    ...pages.filter((p) => p.roles.includes("user")).map((p) => [p.path, "carol"]),
    ...pages.map((p) => [p.path, "admin"]),
  ];
  for (const [path, as] of visits) {
    const cells = [];
    for (const width of widths) {
      const visitor = await Visitor.open(browser, world, { viewport: { width, height: 800 } });
      await visitor.context.addInitScript(observe);
      if (as) await cookie(visitor, world, as);
      await visitor.page.goto(at(path, shown));
      await settled(visitor.page);
      const { shift } = await seen(visitor.page);
      cells.push(shift.toFixed(3).padStart(6));
      await visitor.context.close();
    }
    console.log(`${cells.join(" |")}  ${path}${as ? ` as ${as}` : ""}`);
  }
}

async function access(browser, world) {
  console.log(`\naxe-core: rules that apply, and what is wrong, in ${views.map((v) => v.name).join(" | ")}`);
  const visitor = await Visitor.open(browser, world, { reducedMotion: "reduce" });
  const { page } = visitor;
  for (const path of ["/login", "/admin-login", ...pages.map((p) => p.path)]) {
    if (path === "/") await visitor.signIn("admin");
    await page.goto(at(path, shown));
    const cells = [];
    for (const view of views) {
      await look(page, view);
      const { found, rules } = await judge(page);
      const wrong = found.length + (await tooWide(page)).length;
      cells.push(`${String(rules).padStart(4)} ${String(wrong).padStart(3)}`);
    }
    console.log(`${cells.join(" |")}  ${path}`);
  }
  await visitor.context.close();
}

let world;
let browser;
let shown;
try {
  browser = await openBrowser();
  world = await World.start({ tokens: fleetTokens, agent: true });
  shown = await fleet(world);
  await loads(browser, world);
  await shifts(browser, world);
  await access(browser, world);
} finally {
  await browser?.close();
  await world?.stop();
}
