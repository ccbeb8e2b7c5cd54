import { confirm, question } from "./harness/flows.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";

const { test } = suite();

for (const [how, arrive] of Object.entries({
  "the first time": async () => {},
  // What is known already is drawn at once, so that the dialogs come in another order.
  "coming back to it": async (page) => {
    await page.evaluate(() => history.go(-2));
    await see(page.getByRole("heading", { level: 1, name: "Certificates" }));
    await page.evaluate(() => history.go(2));
  },
})) {
  test(`each Escape closes the topmost dialog alone (${how})`, async ({ world, visitor, page }) => {
    await visitor.signIn("mia", "/certificates");
    await page.getByRole("navigation").getByRole("link", { name: "People" }).click();
    await page.getByRole("link", { name: "dave" }).click();
    const main = page.getByRole("main");
    await see(main.getByRole("button", { name: "Reset password" }));
    await arrive(page);
    await main.getByRole("button", { name: "Reset password" }).click();
    const dialog = page.getByRole("dialog", { name: "Reset the password of dave?" });
    await world.stale("mia");
    await dialog.getByRole("button", { name: "Reset password" }).click();
    await see(question(page));
    await page.keyboard.press("Escape");
    await gone(question(page));
    await dialog.getByRole("button", { name: "Reset password" }).click({ trial: true });
    await page.waitForFunction(() => document.activeElement?.textContent === "Reset password");
    await page.keyboard.press("Escape");
    await gone(dialog);
    await main.getByRole("button", { name: "Reset password" }).click({ trial: true });
  });
}

test("two tasks that wait for the confirmation both go on by one answer", async ({ world, visitor, page }) => {
  const { id } = await world.person("rita");
  await world.admin.patch(`/api/admin/users/${id}`, { is_active: false });
  await visitor.signIn("mia", `/admin/people/${id}`);
  await world.stale("mia");
  // The first request is on its way until the second one has come, too.
  const held = [];
  let both;
  const second = new Promise((resolve) => {
    both = resolve;
  });
  const hold = async (route) => {
    if (route.request().method() !== "PATCH") return route.continue();
    if (held.push(route) === 2) both();
    await second;
    await route.continue();
  };
  await page.route(`**/api/admin/users/${id}`, hold);
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "Enable" }).click();
  await main.getByRole("button", { name: "Edit" }).click();
  const form = page.getByRole("dialog", { name: "Edit rita" });
  await form.getByRole("combobox", { name: "Role" }).click();
  await page.getByRole("option", { name: "Organization manager" }).click();
  await form.getByRole("button", { name: "Save" }).click();
  await confirm(page, world.people.mia.password);
  await eventually("both are done", async () => {
    const { role, is_active } = await world.admin.get(`/api/admin/users/${id}`);
    return role === "org_manager" && is_active;
  });
});

test("a confirmation in one tab is one for the other, too", async ({ world, visitor, page, context }) => {
  await visitor.signIn("mia", "/admin/api-keys");
  const other = await context.newPage();
  await other.goto("/admin/api-keys");
  await world.stale("mia");
  for (const [tab, name] of [
    [page, "first"],
    [other, "second"],
  ]) {
    await tab.getByRole("button", { name: "Create key" }).first().click();
    const form = tab.getByRole("dialog", { name: "Create an API key" });
    await form.getByLabel("Name").fill(name);
    await form.getByRole("button", { name: "Create key" }).click();
    await see(question(tab));
  }
  await question(other).getByLabel("Password", { exact: true }).fill("half a pass");
  await confirm(page, world.people.mia.password);
  await gone(question(page));
  await gone(question(other));
  await eventually("both keys are there", async () => {
    const { items } = await world.admin.get("/api/admin/api-keys");
    return ["first", "second"].every((name) => items.some((k) => k.name === name));
  });
});
