import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test as nodeTest } from "node:test";
import { openBrowser, Visitor } from "./visitor.mjs";
import { World } from "./world.mjs";

const folder = new URL("../../../../.cache/browser/", import.meta.url).pathname;

/** evidence names the files of a test that failed, without their endings. */
export function evidence(name) {
  mkdirSync(folder, { recursive: true });
  return join(folder, name.replaceAll(/[^a-z0-9]+/gi, "-").slice(0, 80));
}

/**
 * suite gives a file of tests one world and one browser, and each test a
 * visitor of its own in it:
 *
 *	const { test } = suite({ tokens: ["20260001"], agent: true });
 *	test("somebody does something", async ({ world, visitor, page, open }) => {
 *	  await visitor.signIn("carol", "/tokens");
 *	  await see(page.getByRole("heading", { name: "My tokens" }));
 *	});
 *
 * `page` is the visitor's first tab, open() another visitor; member(name) one
 * who stays signed in from test to test, for what only looks. fresh: false
 * makes no first visitor. A test that fails
 * leaves a picture and the page's text in .cache/browser. prepare seeds once.
 */
export function suite(options = {}, prepare = async () => {}) {
  let world;
  let browser;
  const members = new Map();
  before(async () => {
    browser = await openBrowser();
    world = await World.start(options);
    await prepare(world);
  });
  after(async () => {
    await browser?.close();
    await world?.stop();
  });

  const test = (name, body, { fresh = true, timeout = 180_000 } = {}) =>
    nodeTest(name, { timeout }, async () => {
      const visitors = [];
      const open = async (contextOptions) => {
        const visitor = await Visitor.open(browser, world, contextOptions);
        visitors.push(visitor);
        return visitor;
      };
      const visitor = fresh ? await open() : undefined;
      const member = async (username) => {
        if (!members.has(username)) {
          members.set(username, await Visitor.open(browser, world));
          await members.get(username).signIn(username);
        }
        const kept = members.get(username);
        kept.complaints = [];
        visitors.push(kept);
        return kept;
      };
      try {
        await body({ world, visitor, page: visitor?.page, context: visitor?.context, open, member });
        for (const v of visitors) v.check();
      } catch (error) {
        await keep(name, visitors, world).catch((e) => console.error(`no evidence: ${e.message}`));
        throw error;
      } finally {
        const kept = [...members.values()];
        for (const v of visitors) if (!kept.includes(v)) await v.context.close();
      }
    });
  return { test };
}

/** keep saves how the pages look when a test fails. */
async function keep(name, visitors, world) {
  const base = evidence(name);
  let text = "";
  for (const [v, visitor] of visitors.entries()) {
    for (const [p, page] of visitor.context.pages().entries()) {
      await page.screenshot({ path: `${base}.${v}.${p}.png`, timeout: 5_000 });
      text += `visitor ${v}, tab ${p}: ${page.url()}\n${await page.locator("body").ariaSnapshot({ timeout: 5_000 })}\n`;
    }
    text += `complaints of visitor ${v}:\n${visitor.complaints.join("\n")}\n`;
  }
  writeFileSync(`${base}.txt`, `${text}\n${world.log}`);
  console.error(`"${name}" failed; how it looked: ${base}.*`);
}

/** see waits until something is visible. */
export function see(locator) {
  return locator.waitFor({ state: "visible" });
}

/** gone waits until something is no longer visible. */
export function gone(locator) {
  return locator.waitFor({ state: "hidden" });
}

/** eventually asks again until the answer is true, for what no page shows. */
export async function eventually(what, ask, limit = 20_000) {
  for (const end = Date.now() + limit; !(await ask()); ) {
    if (Date.now() > end) throw new Error(`never happened: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
