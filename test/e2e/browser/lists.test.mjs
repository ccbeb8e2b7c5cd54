import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { judge } from "./harness/axe.mjs";
import { issue } from "./harness/fleet.mjs";
import { focused, hasFocus, tabTo } from "./harness/keys.mjs";
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
    assert.deepEqual(await page.locator("tbody tr td:nth-child(2) a").allTextContents(), expected);
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
  await see(page.getByRole("img", { name: /^One of these certificates expires within a year/ }));
  await see(page.getByRole("combobox", { name: "Sort by" }));
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
  await see(page.getByText("No certificates expire in the next 26 weeks.")); // they last for a year
  await page.goto("/admin/compliance?within=400");
  await see(page.getByText("3 more expire later, within the number of days you chose."));
  await page.goto("/");
  await see(page.getByText("No certificates expire in the next 13 weeks."));
  assert.equal(await page.getByRole("list", { name: title }).getByRole("listitem").count(), 13);
});

test("what has expired on a token in use is a manager's task, and leads to just those certificates", async ({
  world,
  visitor,
  page,
}) => {
  await world.ends("30260002", -3);
  await visitor.signIn("mia", "/");
  const task = page.getByRole("listitem").filter({ hasText: "expired and was not renewed" });
  await see(task.getByText("One certificate on an active token has expired and was not renewed."));
  await task.getByRole("link", { name: "Show" }).click();
  await see(page.getByText("1 in total"));
  await see(page.getByRole("link", { name: "dave" }));
  const { organizations } = await world.admin.get("/api/reports/compliance");
  assert.equal(organizations.find((o) => o.organization_name === "Acme").certificates_expired.count, 1);
  await world.ends("30260002", 364);
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
  await see(page.getByRole("heading", { level: 1, name: serial }));
  await page.goBack();
  await see(page.getByText("51 to 100 of 130"));
  await see(page.getByRole("link", { name: serial }));
  // The token's page belongs to the list from which it was opened, and leads back to where that stood.
  await page.getByRole("link", { name: serial }).click();
  await see(page.getByRole("heading", { level: 1, name: serial }));
  const here = page.getByRole("navigation").locator("[aria-current=page]");
  assert.deepEqual(await here.allTextContents(), ["Tokens"]);
  await page.getByRole("main").getByRole("link", { name: "Tokens", exact: true }).click();
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

test("a token's page names owner and serial, and its label is changed in its place", async ({
  world,
  visitor,
  page,
}) => {
  const serial = "30260001";
  await visitor.signIn("mia", `/tokens/${serial}`);
  await see(page.getByRole("heading", { level: 1, name: `carol · ${serial}` }));
  await page.getByRole("button", { name: "Change label" }).click();
  await page.getByRole("textbox", { name: "Label" }).fill("Carol's first");
  await page.keyboard.press("Enter");
  await see(page.getByText("Carol's first", { exact: true }));
  assert.equal((await world.admin.get(`/api/hwkey/${serial}`)).label, "Carol's first");
  await hasFocus(page, page.getByRole("button", { name: "Change label" }), "the label was saved");
  // What happened says which slot, and which status before and after.
  const history = page.getByRole("table", { name: "History" });
  for (const said of ["Certificate issued · 9a", "Certificate stored on the token · 9a"])
    await see(history.getByText(said));
  await world.admin.patch(`/api/hwkey/${serial}`, { status: "suspended" });
  await page.reload();
  await see(history.getByText("Status changed: Assigned → Suspended"));
  await world.admin.patch(`/api/hwkey/${serial}`, { status: "assigned" });
  await page.getByLabel("About this token").getByRole("link", { name: "carol" }).click();
  await see(page.getByRole("dialog", { name: "carol" }));
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

test("what the filters let through is saved as a file that no spreadsheet runs", async ({ world, visitor, page }) => {
  await world.token("33000001", { label: "=1+1" });
  await visitor.signIn("mia", "/admin/tokens?q=crowd 0");
  await see(page.getByText("100 in total"));
  const file = async (name) => {
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name, exact: true }).click(),
    ]);
    return [download.suggestedFilename(), await readFile(await download.path(), "utf8")];
  };
  const [name, text] = await file("Export filtered tokens");
  assert.match(name, /^keyward-tokens-\d{8}T\d{6}Z\.csv$/);
  const lines = text.trimEnd().split("\r\n");
  assert.equal(lines.length, 101);
  assert.match(lines[0], /^serial,label,owner,organization,status,/);
  assert.match(lines[1], /^31000099,Crowd 099,,Acme,/);
  await see(page.getByText("100 rows exported"));
  await page.getByRole("searchbox").first().fill("33000001");
  await see(page.getByText("1 in total"));
  assert.match((await file("Export filtered tokens"))[1], /\r\n33000001,'=1\+1,/);
  await page.goto("/admin/people");
  assert.match((await file("Export all people"))[1], /\r\nmia,,mia@/);
});

test("columns are chosen, and this browser remembers them", async ({ visitor, page }) => {
  await page.setViewportSize({ width: 1440, height: 900 });
  await visitor.signIn("mia", "/admin/tokens?rows=25");
  const head = (name) => page.getByRole("columnheader", { name });
  await see(head("Model"));
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("checkbox", { name: "Model" }).uncheck();
  await page.getByRole("checkbox", { name: "Registered" }).check();
  await gone(head("Model"));
  await see(head("Registered"));
  assert.deepEqual((await judge(page, { within: "[role=dialog]" })).found, []);
  await page.reload();
  await see(head("Registered"));
  assert.equal(await head("Model").count(), 0);
  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("button", { name: "Reset columns" }).click();
  await see(head("Model"));
});

test("selected certificates are revoked, and only what failed is named", async ({ world, visitor, page }) => {
  const { items } = await world.admin.get("/api/certificates");
  const of = (name) => items.find((c) => c.common_name === name).serial_number;
  await visitor.signIn("mia", "/certificates");
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await world.admin.post(`/api/certificates/${of("carol")}/revoke`, { reason: "superseded" });
  visitor.allow(/409|403/);
  await page.route(`**/api/certificates/${of("dave")}/revoke`, (route) =>
    route.fulfill({
      status: 403,
      contentType: "application/problem+json",
      body: JSON.stringify({ code: "permission_denied", detail: "No." }),
    }),
  );
  const bar = page.getByRole("region", { name: "With the selected certificates" });
  await see(bar.getByText("3 selected"));
  await bar.getByRole("button", { name: "Revoke…" }).click();
  const dialog = page.getByRole("dialog", { name: "Revoke 3 certificates?" });
  await dialog.getByRole("combobox", { name: "Reason" }).click();
  await page.getByRole("option", { name: "No longer needed" }).click();
  await accessiblePart(page, "the revocation of many");
  await dialog.getByRole("button", { name: "Revoke" }).click();
  await see(dialog.getByText("1 certificate revoked · 1 already revoked · 1 failed"));
  await see(dialog.getByRole("link", { name: "dave" }));
  assert.equal(await dialog.getByRole("row").count(), 2, "its head, and what failed");
  await dialog.getByRole("button", { name: "Close" }).last().click();
  await gone(bar);
  const revoked = await world.admin.get(`/api/certificates/${of("erin")}`);
  assert.equal(revoked.revocation_reason, "cessationOfOperation");
});

test("a token, a person and a page are found and opened by keyboard alone", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/profile");
  const before = page.getByRole("link", { name: "Compliance" });
  await tabTo(page, before);
  await page.keyboard.press("Control+k");
  const field = page.getByRole("combobox", { name: "Find" });
  await hasFocus(page, field, "the field");
  await page.keyboard.type("crowd 12");
  const found = page.getByRole("group", { name: "Tokens" }).getByRole("option");
  await see(found.filter({ hasText: "Crowd 129" }));
  await see(found.filter({ hasText: "View all (10)" }));
  await accessiblePart(page, "what was found");
  await page.keyboard.press("Escape");
  await gone(field);
  await hasFocus(page, before, "who leaves without a choice");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("31000129"); // Enter waits for the answer
  await page.keyboard.press("Enter");
  await see(page.getByRole("heading", { level: 1, name: "31000129" }));
  await page.waitForFunction(() => document.activeElement?.id === "content");

  await page.keyboard.press("Control+k");
  await page.keyboard.type("erin");
  await see(page.getByRole("group", { name: "Certificates" }));
  const person = page.getByRole("group", { name: "People" }).getByRole("option", { name: /erin/ });
  for (let i = 0; i < 10 && (await person.getAttribute("aria-selected")) !== "true"; i++) {
    await page.keyboard.press("ArrowDown");
  }
  assert.equal(await field.getAttribute("aria-activedescendant"), await person.getAttribute("id"));
  await page.keyboard.press("Enter");
  await see(page.getByRole("dialog", { name: "erin" }));
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));

  await page.keyboard.press("Control+k");
  await page.keyboard.type("audi");
  await page.keyboard.press("Enter");
  await page.waitForURL("/admin/audit");
});

test("what cannot be found is said, and what could not be looked through", async ({ visitor, page }) => {
  await visitor.signIn("mia", "/profile");
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByRole("combobox", { name: "Find" }).fill("nothing of that name");
  await see(page.getByText("No matches"));
  await page.route("**/api/admin/users?*", (route) => route.abort());
  await page.getByRole("combobox", { name: "Find" }).fill("dave");
  await see(page.getByRole("alert").getByText("Not searched: People"));
  await see(page.getByRole("group", { name: "Certificates" }));
  await page.unroute("**/api/admin/users?*");
  await page.getByRole("button", { name: "Try again" }).click();
  await see(page.getByRole("group", { name: "People" }));
});

test("who manages nobody finds what is their own", async ({ visitor, page }) => {
  const asked = [];
  await visitor.signIn("carol", "/profile");
  page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Find" }).fill("30260001");
  await see(page.getByRole("group", { name: "Tokens" }).getByRole("option", { name: /30260001/ }));
  await page.getByRole("combobox", { name: "Find" }).fill("mia");
  await see(page.getByText("No matches"));
  assert.deepEqual(
    asked.filter((path) => path.startsWith("/api/admin")),
    [],
  );
});
