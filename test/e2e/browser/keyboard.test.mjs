import assert from "node:assert/strict";
import { see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const serial = "30260003";
const { test } = suite({}, (world) => world.token(serial, { owner: "carol" }));

/** focused tells what has the focus: its role or tag, and its name. */
function focused(page) {
  return page.evaluate(() => {
    const e = document.activeElement;
    return e?.id || e?.getAttribute("aria-label") || e?.textContent?.trim() || e?.getAttribute("name") || e?.tagName;
  });
}

/** tabTo presses Tab until something has the focus. */
async function tabTo(page, locator, limit = 60) {
  await locator.waitFor();
  for (let i = 0; i < limit; i++) {
    if (await locator.evaluate((e) => e === document.activeElement)) return;
    await page.keyboard.press("Tab");
  }
  assert.fail(`Tab never comes to ${locator}; it is at ${await focused(page)}`);
}

test("signing in, going to a page and signing out need no mouse", async ({ world, page }) => {
  await page.goto("/login");
  await tabTo(page, page.getByLabel("Username or email"), 5);
  await page.keyboard.type("carol");
  await page.keyboard.press("Tab");
  assert.ok(await page.getByLabel("Password", { exact: true }).evaluate((e) => e === document.activeElement));
  await page.keyboard.type(world.people.carol.password);
  await page.keyboard.press("Enter");
  await page.waitForURL("/");
  await tabTo(page, page.getByRole("link", { name: "Certificates" }));
  await page.keyboard.press("Enter");
  await page.waitForURL("/certificates");
  await see(page.getByRole("heading", { level: 1, name: "Certificates" }));
  assert.equal(await focused(page), "content", "the focus moves to the content of a new page");
  await tabTo(page, page.getByRole("button", { name: "carol, Menu" }));
  await page.keyboard.press("Enter");
  await see(page.getByRole("menuitem", { name: "Profile and sessions" }));
  await page.keyboard.press("End");
  assert.equal(await focused(page), "Sign out");
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/login");
});

test("the first stop of a page skips to its content", async ({ visitor, page }) => {
  await visitor.signIn("carol", "/profile");
  await settled(page);
  const skip = page.getByRole("link", { name: "Skip to content" });
  for (let i = 0; i < 40 && (await focused(page)) !== "Skip to content"; i++) await page.keyboard.press("Shift+Tab");
  assert.equal(await focused(page), "Skip to content");
  const box = await skip.boundingBox();
  assert.ok(box && box.x >= 0 && box.y >= 0 && box.width > 40, `the link is not in sight: ${JSON.stringify(box)}`);
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "content");
});

test("the menu opens, moves and closes by keys, and gives the focus back", async ({ visitor, page }) => {
  await visitor.signIn("carol");
  const button = page.getByRole("button", { name: "carol, Menu" });
  await button.focus();
  await page.keyboard.press("Enter");
  await see(page.getByRole("menuitem", { name: "Dark" }));
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Escape");
  await page.getByRole("menuitem", { name: "Dark" }).waitFor({ state: "hidden" });
  assert.ok(await button.evaluate((e) => e === document.activeElement), `the focus is at ${await focused(page)}`);
});

test("a dialog takes the focus, keeps it, and gives it back", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/admin/people");
  const button = page.getByRole("button", { name: "Add a person" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add a person" });
  await see(dialog);
  const inside = () => dialog.evaluate((d) => d.contains(document.activeElement));
  await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press(i % 7 === 6 ? "Shift+Tab" : "Tab");
    assert.ok(await inside(), `after ${i + 1} steps the focus is at ${await focused(page)}`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.waitForFunction((name) => document.activeElement?.textContent === name, "Add a person");
});

for (const path of [
  "/",
  "/tokens",
  `/tokens/${serial}`,
  "/certificates",
  "/admin/people",
  "/admin/tokens",
  "/profile",
]) {
  test(`every stop on ${path} can be seen, and none is a trap`, async ({ visitor, page }) => {
    await visitor.signIn("mia", path);
    await settled(page);
    const stops = [];
    for (let i = 0; i < 150; i++) {
      await page.keyboard.press("Tab");
      const stop = await page.evaluate(() => {
        const e = document.activeElement;
        if (!e || e === document.body) return null;
        e.dataset.stop ??= String(Math.random());
        const style = getComputedStyle(e);
        const box = e.getBoundingClientRect();
        const field = /^(INPUT|TEXTAREA|SELECT)$/.test(e.tagName);
        return {
          id: e.dataset.stop,
          what: `${e.tagName} ${e.getAttribute("aria-label") ?? e.textContent?.trim().slice(0, 40)}`,
          // A field shows it by its border, everything else by an outline.
          shown: field || style.outlineStyle !== "none" || style.boxShadow !== "none" || e.id === "content",
          inSight: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
        };
      });
      if (stop === null || stops.some((s) => s.id === stop.id)) break;
      stops.push(stop);
    }
    assert.ok(stops.length > 1 && stops.length < 150, `${stops.length} stops`);
    const bad = stops.filter((s) => !s.shown || !s.inSight).map((s) => s.what);
    assert.deepEqual(bad, [], "stops without a mark, or out of sight");
  });
}

test("who wants less motion gets none", async ({ open }) => {
  const { page, signIn } = await calm(open);
  await signIn("mia", "/admin/people");
  await settled(page);
  const moving = () =>
    page.evaluate(() =>
      document
        .getAnimations()
        .filter((a) => a.playState === "running" && a.effect.getComputedTiming().duration > 1)
        .filter((a) => !/color$/.test(a.transitionProperty ?? "")) // a colour does not move
        .map((a) => `${a.effect.target?.className} ${a.animationName ?? a.transitionProperty}`),
    );
  for (const step of [
    () => page.getByRole("button", { name: "Add a person" }).click(),
    () => page.keyboard.press("Escape"),
    () => page.getByRole("button", { name: "mia, Menu" }).click(),
    () => page.getByRole("menuitem", { name: "Dark" }).click(),
    () => page.goto("/tokens"),
  ]) {
    await step();
    assert.deepEqual(await moving(), []);
  }
});

/** calm is a visitor whose system asks for reduced motion. */
async function calm(open) {
  const visitor = await open({ reducedMotion: "reduce" });
  return { page: visitor.page, signIn: visitor.signIn.bind(visitor) };
}
