import assert from "node:assert/strict";
import { accessible } from "./harness/accessible.mjs";
import { issue } from "./harness/fleet.mjs";
import { focused } from "./harness/keys.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";

const { test } = suite({}, async (world) => {
  for (const [serial, owner] of [
    ["30260001", "carol"],
    ["30260002", "dave"],
    ["30260003", "erin"],
  ]) {
    await world.token(serial, { owner });
    const made = await issue(world, serial, owner);
    if (owner !== "dave") await world.admin.post(`/api/certificates/${made.serial_number}/installed`);
  }
});

test("certificates go by their end at a key's press, and the focus stays", async ({ visitor, page }) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await visitor.signIn("mia", "/certificates");
  const ends = page.getByRole("columnheader", { name: "Expires" });
  for (const [order, ...expected] of [
    ["none", "erin", "dave", "carol"],
    ["ascending", "carol", "dave", "erin"],
    ["descending", "erin", "dave", "carol"],
  ]) {
    await page.locator(`th[aria-sort="${order}"]`).waitFor();
    await see(page.locator("tbody:not([inert]) tr").first());
    assert.deepEqual(await page.locator("tbody tr td:first-child a").allTextContents(), expected);
    if (order !== "none") assert.equal(await focused(page), "Expires", "the focus stays on the column");
    await ends.getByRole("button").press("Enter");
  }
  await page.locator('th[aria-sort="none"]').waitFor();
  await ends.getByRole("button").press("Enter");
  await page.waitForURL((url) => url.searchParams.get("sort") === "not_after");
  await page.reload();
  await page.locator('th[aria-sort="ascending"]').waitFor();
});

test("an unconfirmed certificate is found, and its page names the owner", async ({ visitor, page }) => {
  await page.setViewportSize({ width: 360, height: 800 });
  await visitor.signIn("mia", "/certificates?show=unconfirmed");
  await see(page.getByRole("link", { name: "dave" }));
  assert.equal(await page.locator("tbody tr").count(), 1);
  await see(page.getByRole("combobox", { name: "Order" }));
  await page.getByRole("link", { name: "dave" }).click();
  await see(page.getByRole("heading", { name: "Certificate of dave" }));
  await page.getByRole("link", { name: "dave", exact: true }).click();
  await see(page.getByRole("dialog", { name: "dave" }));
});

test("who is locked out stands on the overview and among the people", async ({ world, visitor, page }) => {
  for (let i = 0; i < 6; i++) await world.api("erin", "a guess").catch(() => {});
  await visitor.signIn("mia", "/");
  await see(page.getByText("erin is locked out after too many wrong passwords."));
  await page.goto("/admin/people?state=locked");
  await see(page.getByRole("link", { name: "erin" }));
  assert.equal(await page.locator("tbody tr").count(), 1);
});

test("the overview and the report say how many certificates end by week, and later", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/admin/compliance");
  const title = "Certificates expiring, by week";
  await see(page.getByRole("heading", { name: title }));
  await see(page.getByText("No certificate expires in the next 26 weeks.")); // they last for a year
  await page.goto("/admin/compliance?within=400");
  await see(page.getByText("3 more expire later, within the number of days you chose."));
  await page.goto("/");
  await see(page.getByText("No certificate expires in the next 13 weeks."));
  assert.equal(await page.getByRole("list", { name: title }).getByRole("listitem").count(), 13);
});

test("an older vault is said on the page of the system's health, and accepted there", async ({
  world,
  visitor,
  page,
}) => {
  await world.vaultOlder();
  await eventually("the server finds it", async () => (await world.admin.get("/api/health")).vault === "older");
  await visitor.signIn("admin", "/system/health");
  const alarm = page.getByRole("heading", { name: "The vault is older than the database" });
  await see(alarm);
  await see(page.getByText(/it is \d steps behind/));
  await see(page.getByText("See above."));
  await accessible(page, "the vault is older");
  await page.getByRole("button", { name: "Accept the older vault…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Accept it" }).click();
  await gone(alarm);
  assert.equal((await world.admin.actions("system.recovered")).length, 1);
});
