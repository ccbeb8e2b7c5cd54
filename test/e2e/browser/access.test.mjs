import assert from "node:assert/strict";
import { accessible } from "./harness/accessible.mjs";
import { fleet, fleetTokens } from "./harness/fleet.mjs";
import { at, pages } from "./harness/pages.mjs";
import { observe, seen } from "./harness/shift.mjs";
import { see, suite } from "./harness/suite.mjs";
import { fillIn, settled } from "./harness/visitor.mjs";

let shown;
const { test } = suite({ tokens: fleetTokens, agent: true }, async (world) => {
  shown = await fleet(world, { few: true });
});

/** still opens a page, and fails when what was there already is pushed away by what comes later. */
async function still(page, path, [width, height]) {
  await page.addInitScript(observe);
  await page.setViewportSize({ width, height });
  await page.goto(at(path, shown));
  await settled(page);
  const { shift, moved } = await seen(page);
  assert.ok(shift < 0.05, `${path} moves while it loads, by ${shift}:\n${moved.join("\n")}`);
}
const wide = [1280, 800];
const narrow = [360, 740];

for (const path of ["/login", "/admin-login", "/no/such/page"]) {
  test(`${path} is accessible`, async ({ page }) => {
    await page.goto(path);
    await settled(page);
    await accessible(page, path);
  });
}

for (const { path } of pages) {
  test(
    `${path} stands still and is accessible`,
    async ({ member }) => {
      const { page } = await member("admin");
      await still(page, path, narrow);
      await accessible(page, path);
    },
    { fresh: false },
  );
}

for (const [path, name] of [
  ["/", "carol"],
  ["/", "mia"],
  ["/tokens", "carol"],
  ["/tokens/$serial", "carol"],
  ["/system/settings", "carol"],
]) {
  test(
    `${path} of ${name} stands still and is accessible`,
    async ({ member }) => {
      const { page } = await member(name);
      await still(page, path, wide);
      await accessible(page, `${path} of ${name}`);
    },
    { fresh: false },
  );
}

test("the dialogs about signing in are accessible", async ({ world, visitor, page, open }) => {
  const other = await open();
  await other.page.goto("/login");
  await fillIn(other.page, "heidi", world.people.heidi.password);
  await see(other.page.getByRole("heading", { name: "Choose a new password" }));
  await accessible(other.page, "a new password");
  await page.goto("/login");
  await fillIn(page, "dave", "wrong");
  await see(page.getByRole("alert"));
  await accessible(page, "a wrong password");
  await page.clock.install();
  await visitor.signIn("dave", "/tokens");
  await settled(page);
  const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people.dave.id}`);
  for (const s of items.filter((s) => s.active)) await world.admin.delete(`/api/auth/sessions/${s.id}`);
  await page.clock.fastForward("01:01");
  await see(page.getByRole("dialog", { name: "Your session has ended" }));
  await accessible(page, "the end of a session");
});

test("the menus are accessible", async ({ visitor, page }) => {
  await visitor.signIn("carol");
  await page.getByRole("button", { name: "carol, Menu" }).click();
  await see(page.getByRole("menuitem", { name: "Sign out" }));
  await accessible(page, "the menu");
  await page.keyboard.press("Escape");
  await page.setViewportSize({ width: 360, height: 740 });
  await page.getByRole("banner").getByRole("button", { name: "Menu", exact: true }).click();
  await see(page.getByRole("link", { name: "My tokens" }));
  await accessible(page, "the navigation on a telephone");
});
