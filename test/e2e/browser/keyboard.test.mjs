import assert from "node:assert/strict";
import { focused, press, signInByKeys, tabTo, typeInto } from "./harness/keys.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const serial = "30260003";
const { test } = suite({}, (world) => world.token(serial, { owner: "carol" }));

test("signing in, going to a page and signing out need no mouse", async ({ world, page }) => {
  await page.goto("/login");
  await signInByKeys(page, "carol", world.people.carol.password);
  await page.waitForURL("/");
  await tabTo(page, page.getByRole("link", { name: "Certificates" }));
  await page.keyboard.press("Enter");
  await page.waitForURL("/certificates");
  await see(page.getByRole("heading", { level: 1, name: "Certificates" }));
  assert.equal(await focused(page), "content", "the focus moves to the content of a new page");
  await tabTo(page, page.getByRole("button", { name: "carol, Menu" }));
  await page.keyboard.press("Enter");
  await see(page.getByRole("menuitem", { name: "Profile and sessions" }));
  await eventually("the last item has the focus", async () => {
    await page.keyboard.press("End"); // the menu takes keys once it has opened
    return (await focused(page)) === "Sign out";
  });
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === "/login");
});

test("what is typed into a password's field can be shown, in the person's language", async ({ open }) => {
  const { page } = await open({ locale: "de-DE" });
  await page.goto("/login");
  const field = page.getByLabel("Passwort", { exact: true });
  await typeInto(page, field, "geheim");
  await press(page, page.getByRole("button", { name: "Eingabe anzeigen" }), "Space");
  assert.equal(await field.getAttribute("type"), "text");
  await press(page, page.getByRole("button", { name: "Eingabe anzeigen" }));
  assert.equal(await field.getAttribute("type"), "password");
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
  const button = page.getByRole("button", { name: "Add person" });
  await button.focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Add person" });
  await see(dialog);
  const inside = () => dialog.evaluate((d) => d.contains(document.activeElement));
  await page.waitForFunction(() => document.activeElement?.closest("[role=dialog]"));
  for (let i = 0; i < 30; i++) {
    await page.keyboard.press(i % 7 === 6 ? "Shift+Tab" : "Tab");
    assert.ok(await inside(), `after ${i + 1} steps the focus is at ${await focused(page)}`);
  }
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.waitForFunction((name) => document.activeElement?.textContent === name, "Add person");
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
  test(
    `every stop on ${path} can be seen, and none is a trap`,
    async ({ member }) => {
      const { page } = await member("mia");
      await page.goto(path);
      await settled(page);
      await page.evaluate(watchStops);
      const stops = [];
      let round = false;
      for (let i = 0; i < 150 && !round; i++) {
        const next = await stop(page); // none where the page ends, before it begins again
        round = stops.some((s) => s.id === next?.id);
        if (next && !round) stops.push(next);
      }
      assert.ok(round, `a trap: ${stops.length} stops, and never again the first`);
      assert.ok(stops.some((s) => s.what === "A Skip to content") && stops.length > 8, `only ${stops.length} stops`);
      const marked = await page.evaluate(async () => {
        document.activeElement.blur();
        await window.still();
        return window.stops.map((s) => s.element.isConnected && s.shown !== window.looks(s.element));
      });
      const bad = stops.filter((s, i) => !marked[i] || !s.inSight).map((s) => s.what);
      assert.deepEqual(bad, [], "stops without a mark, or out of sight");
    },
    { fresh: false },
  );
}

/** stop presses Tab and tells where the focus is now; null outside of the page. */
async function stop(page) {
  await page.keyboard.press("Tab");
  return page.evaluate(async () => {
    const e = document.activeElement;
    if (!e || e === document.body) return null;
    await window.still();
    const box = e.getBoundingClientRect();
    let id = window.stops.findIndex((s) => s.element === e);
    if (id < 0) id = window.stops.push({ element: e, shown: window.looks(e) }) - 1;
    return {
      id,
      what: `${e.tagName} ${e.getAttribute("aria-label") ?? e.textContent?.trim().slice(0, 40)}`,
      inSight: box.bottom > 0 && box.top < innerHeight && box.right > 0 && box.left < innerWidth,
    };
  });
}

/** watchStops runs in the page: what stop needs there. */
function watchStops() {
  window.stops = [];
  // The mark may be drawn on the box around a field, or on what stands for a hidden one.
  window.looks = (e) =>
    [e, e.parentElement, e.nextElementSibling, e.id ? document.querySelector(`label[for="${e.id}"]`) : null]
      .filter(Boolean)
      .map((n) => getComputedStyle(n))
      .map((c) => [c.outlineStyle, c.outlineWidth, c.outlineColor, c.borderColor, c.borderWidth, c.boxShadow].join())
      .join("; ");
  window.still = () =>
    Promise.all(document.getAnimations().map((a) => a instanceof CSSTransition && a.finished.catch(() => {})));
}

for (const [reducedMotion, what] of [
  ["reduce", "who wants less motion gets none"],
  ["no-preference", "who wants nothing in particular sees what moves"],
]) {
  test(what, async ({ open }) => {
    const visitor = await open({ reducedMotion });
    const { page } = visitor;
    await page.addInitScript(watchMotion);
    await visitor.signIn("mia", "/admin/people");
    await settled(page);
    const add = page.getByRole("button", { name: "Add person" });
    const form = page.getByRole("dialog", { name: "Add person" });
    const dark = page.getByRole("menuitem", { name: "Dark" });
    const moved = [];
    for (const step of [
      () => add.click().then(() => see(form)),
      () => page.keyboard.press("Escape").then(() => gone(form)),
      () =>
        page
          .getByRole("button", { name: "mia, Menu" })
          .click()
          .then(() => see(dark)),
      () => page.keyboard.press("Escape").then(() => gone(dark)),
      () => page.goto("/tokens").then(() => settled(page)),
    ]) {
      await step();
      moved.push(...(await page.evaluate(() => window.moved.splice(0))));
    }
    // The other half of the proof: these steps do move, for who has nothing against it.
    if (reducedMotion === "reduce") assert.deepEqual([...new Set(moved)], []);
    else assert.ok(moved.some((m) => /Modal/.test(m)) && moved.some((m) => /Menu/.test(m)), `moved: ${moved}`);
  });
}

/** watchMotion runs in the page: it notes whatever moves in any of its frames. */
function watchMotion() {
  window.moved = [];
  const watch = () => {
    for (const a of document.getAnimations()) {
      const moves = a.playState === "running" && a.effect.getComputedTiming().duration > 1;
      if (!moves || /color$/.test(a.transitionProperty ?? "")) continue; // a colour does not move
      window.moved.push(`${a.effect.target?.className} ${a.animationName ?? a.transitionProperty}`);
    }
    requestAnimationFrame(watch);
  };
  watch();
}
