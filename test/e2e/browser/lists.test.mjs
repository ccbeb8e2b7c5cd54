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
    await page.locator(`th[aria-sort="${order}"]`, { hasText: "Expires" }).waitFor();
    await see(page.locator("tbody:not([inert]) tr").first());
    assert.deepEqual(await page.locator("tbody tr td:first-child a").allTextContents(), expected);
    if (order !== "none") assert.equal(await focused(page), "Expires", "the focus stays on the column");
    await ends.getByRole("button").press("Enter");
  }
  await page.locator('th[aria-sort="none"]', { hasText: "Expires" }).waitFor();
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

test("the place in a list, its filters and its size stand in the address", async ({ world, visitor, page }) => {
  const rows = Array.from({ length: 130 }, (_, i) => `${31000000 + i},Crowd ${String(i).padStart(3, "0")},Acme`);
  await world.admin.post("/api/hwkey/import", `serial,label,organization\n${rows.join("\n")}\n`, "text/csv");
  await visitor.signIn("mia", "/admin/tokens?q=crowd");
  await see(page.getByText("130 in total"));
  await see(page.getByText("1 to 50 of 130"));
  await page.getByRole("button", { name: "Next" }).click();
  await see(page.getByText("51 to 100 of 130"));
  await page.waitForFunction(() => document.querySelector("table").getBoundingClientRect().top >= 0);
  const serial = await page.locator("tbody:not([inert]) tr a").first().textContent();
  await page.getByRole("link", { name: serial }).click();
  await see(page.getByRole("heading", { level: 1, name: /Crowd/ }));
  await page.goBack();
  await see(page.getByText("51 to 100 of 130"));
  await see(page.getByRole("link", { name: serial }));
  await page.reload();
  await see(page.getByText("51 to 100 of 130"));
  await page.getByRole("button", { name: "Next" }).click();
  await see(page.getByText("101 to 130 of 130"));
  await page.getByRole("button", { name: "Previous" }).click();
  await page.getByRole("button", { name: "Previous" }).click();
  await see(page.getByText("1 to 50 of 130"));
  await page.getByRole("combobox", { name: "Rows per page" }).click();
  await page.getByRole("option", { name: "100 rows" }).click();
  await see(page.getByText("1 to 100 of 130"));
  // Another filter begins at its first page, and a place of long ago at the list's.
  await page.getByRole("button", { name: "Next" }).click();
  await see(page.getByText("101 to 130 of 130"));
  await page.getByRole("searchbox").first().fill("crowd 00");
  await see(page.getByText("10 in total"));
  await page.goto("/admin/tokens?q=crowd&page=3&after=long-ago");
  await see(page.getByText("1 to 100 of 130"));
});

test("tokens go by the column that is pressed, page after page", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/admin/tokens?q=crowd&rows=25");
  const labels = () => page.locator("tbody:not([inert]) tr td:nth-child(3)").allTextContents();
  const crowd = (from, to) =>
    Array.from({ length: Math.abs(to - from) + 1 }, (_, i) => {
      const n = from < to ? from + i : from - i;
      return `Crowd ${String(n).padStart(3, "0")}`;
    });
  const head = page.getByRole("columnheader", { name: "Label" });
  await head.getByRole("button").click();
  await page.locator('th[aria-sort="ascending"]', { hasText: "Label" }).waitFor();
  await eventually("first to last", async () => (await labels())[0] === "Crowd 000");
  await page.getByRole("button", { name: "Next" }).click();
  await see(page.getByText("26 to 50 of 130"));
  await eventually("the second page", async () => (await labels())[0] === "Crowd 025");
  assert.deepEqual(await labels(), crowd(25, 49));
  await head.getByRole("button").click();
  await see(page.getByText("1 to 25 of 130"));
  await eventually("last to first", async () => (await labels())[0] === "Crowd 129");
  assert.deepEqual(await labels(), crowd(129, 105));
  assert.equal(new URL(page.url()).searchParams.get("sort"), "-label");
});

test("all tokens that match are changed at once, with a reason, and what failed is named", async ({
  world,
  visitor,
  page,
}) => {
  await world.admin.patch("/api/hwkey/31000002", { status: "retired" });
  await visitor.signIn("mia", "/admin/tokens?q=crowd");
  await see(page.getByText("1 to 50 of 130"));
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  const bar = page.getByRole("region", { name: "With the selected tokens" });
  await bar.getByRole("button", { name: "Select all 130 that match" }).click();
  await see(bar.getByText("130 selected"));
  await bar.getByRole("button", { name: "More" }).click();
  const items = page.getByRole("menu").locator("[role=menuitem], [class*=Menu-divider]");
  const names = await items.evaluateAll((all) => all.map((e) => e.textContent));
  assert.equal(names.at(-3), "", "a line before what ends a token");
  assert.deepEqual(names.slice(-2), ["Report lost", "Retire"]);
  await page.getByRole("menuitem", { name: "Retire" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("Out of warranty");
  await dialog.getByRole("button", { name: "Retire" }).click();
  await see(page.getByText("129 tokens changed · 1 unchanged"));
  const [entry] = await world.admin.actions("hwkey.status_changed");
  assert.equal(entry.reason, "Out of warranty");
});

test("columns stand still from page to page, and a row is a line", async ({ world, visitor, page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  const label = "The label of a token that somebody wrote a whole sentence on, because there was room for it";
  await world.token("32000001", { label });
  await visitor.signIn("mia", "/admin/tokens?rows=25");
  await see(page.getByText("1 to 25 of"));
  const heads = () => page.locator("thead th").evaluateAll((all) => all.map((e) => Math.round(e.offsetWidth)));
  const heights = await page.locator("tbody tr").evaluateAll((all) => all.map((e) => e.offsetHeight));
  assert.ok(Math.max(...heights) <= 32, `rows are up to ${Math.max(...heights)} px high`);
  const before = await heads();
  await page.getByRole("button", { name: "Next" }).click();
  await see(page.getByText("26 to 50 of"));
  assert.deepEqual(await heads(), before);
  const cut = page.getByRole("cell", { name: label });
  await page.getByRole("button", { name: "First page" }).click();
  await cut.hover();
  await page.locator(`td[title="${label}"]`).waitFor();
});

test("a list comes back by itself when the server does", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/");
  await page.route("**/api/hwkey?*", (route) => route.abort());
  await page.getByRole("link", { name: "Tokens", exact: true }).click();
  await see(page.getByRole("alert"));
  await page.unroute("**/api/hwkey?*");
  await see(page.getByRole("link", { name: "32000001" }));
});
