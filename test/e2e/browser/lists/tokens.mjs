import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { judge } from "../harness/axe.mjs";
import { hasFocus } from "../harness/keys.mjs";
import { eventually, gone, see } from "../harness/suite.mjs";

/** tokens are a list of more than a page: its place, order, columns, files, and many changed at once. */
export function tokens(test) {
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
    await see(history.getByText("Token status: Assigned → Suspended"));
    await world.admin.patch(`/api/hwkey/${serial}`, { status: "assigned" });
    await page.getByLabel("About this token").getByRole("link", { name: "carol" }).click();
    await see(page.getByRole("heading", { level: 1, name: "carol" }));
  });

  test("owners are called and found by their names, and see their own", async ({ world, visitor, page, open }) => {
    const [{ id }] = (await world.admin.get("/api/admin/users?q=dave")).items;
    const name = "Dave Ørsted";
    await world.admin.patch(`/api/admin/users/${id}`, { name });
    await visitor.signIn("mia", "/admin/tokens?q=%C3%B8rsted"); // the serial number has it nowhere, nor the username
    const row = page.getByRole("row").filter({ hasText: "30260002" });
    await see(row.getByRole("link", { name }));
    assert.equal(await page.locator("tbody tr").count(), 1);
    await row.getByRole("link", { name: "30260002" }).click();
    await see(page.getByRole("heading", { level: 1, name: `${name} · 30260002` }));
    await see(page.getByLabel("About this token").getByRole("link", { name }));
    await page.goto("/admin/people?q=dave");
    await page.getByRole("link", { name }).click();
    await see(page.getByRole("heading", { level: 1, name }));
    await see(page.getByRole("main").getByText("dave", { exact: true }).first());
    const own = await open();
    await own.signIn("dave", "/profile");
    await see(own.page.locator("dl").getByText(name)); // and in the history below
    await world.admin.patch(`/api/admin/users/${id}`, { name: null });
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
    // Those of one status come together, from page to page.
    await page.goto("/admin/tokens?rows=25");
    const first = async () => (await page.locator("tbody:not([inert]) tr").allTextContents())[0] ?? "";
    await eventually("the last one registered is first", async () => (await first()).includes("In stock"));
    await page.getByRole("columnheader", { name: "Status" }).getByRole("button").click();
    await page.locator('th[aria-sort="ascending"]', { hasText: "Status" }).waitFor();
    await eventually("those in use are first", async () => /Active|Assigned/.test(await first()));
    await page.getByRole("columnheader", { name: "Status" }).getByRole("button").click();
    await page.locator('th[aria-sort="descending"]', { hasText: "Status" }).waitFor();
    await eventually("those in stock are first", async () => (await first()).includes("In stock"));
    await page.goto("/admin/tokens?q=crowd&rows=25&sort=registered");
    await eventually("the oldest are first", async () => (await labels())[0] === "Crowd 000");
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await see(page.getByText("26 to 50 of 130"));
    await eventually("the second page", async () => (await labels())[0] === "Crowd 025");
    await page.goto("/admin/people");
    const people = page.getByRole("columnheader", { name: "Role" }).getByRole("button");
    await people.click();
    await page.locator('th[aria-sort="ascending"]', { hasText: "Role" }).waitFor();
    const roles = () => page.locator("tbody:not([inert]) tr td:nth-child(3)").allTextContents();
    await eventually("the managers are first", async () => (await roles())[0] === "Organization manager");
    await people.click();
    await eventually("the users are first", async () => (await roles())[0] === "User");
  });

  test("from a token's page the tokens beside it in the list are reached, by keyboard, from page to page", async ({
    visitor,
    page,
  }) => {
    await visitor.signIn("mia", "/admin/tokens?q=crowd&rows=25&sort=label");
    await see(page.getByText("1 to 25 of 130"));
    await page.getByRole("link", { name: "31000023", exact: true }).click();
    const at = (serial) => see(page.getByRole("heading", { level: 1, name: serial }));
    const next = page.getByRole("button", { name: "Next in list" });
    const previous = page.getByRole("button", { name: "Previous in list" });
    await at("31000023");
    await next.press("Enter");
    await at("31000024");
    await hasFocus(page, next, "the next token is shown");
    await next.press("Enter");
    await at("31000025");
    assert.deepEqual((await judge(page, { within: "main" })).found, []);
    // Back leads to where this one stands, with the filter and the order.
    await page.getByRole("main").getByRole("link", { name: "Tokens", exact: true }).click();
    await see(page.getByText("26 to 50 of 130"));
    await page.getByRole("link", { name: "31000025", exact: true }).click();
    await at("31000025");
    await previous.press("Enter");
    await at("31000024");
    // However many were looked at, the browser's Back leads to the list.
    await page.goBack();
    await see(page.getByText("26 to 50 of 130"));
    await page.getByRole("button", { name: "Previous", exact: true }).click();
    await see(page.getByText("1 to 25 of 130"));
    await page.getByRole("link", { name: "31000000", exact: true }).click();
    await at("31000000");
    assert.equal(await previous.getAttribute("aria-disabled"), "true");
    await page.goto("/tokens/31000001");
    await at("31000001");
    await page.getByRole("main").getByRole("link", { name: "Tokens", exact: true }).waitFor();
    assert.equal(await next.count(), 0, "who opens an address came from no list");
  });

  test("all tokens that match are changed at once, with a reason, and what failed is named", async ({
    world,
    visitor,
    page,
  }) => {
    for (const serial of ["31000002", "31000003"]) {
      await world.admin.patch(`/api/hwkey/${serial}`, { owner_id: world.people.erin.id });
    }
    await visitor.signIn("mia", "/admin/tokens?q=crowd&sort=serial");
    await see(page.getByText("1 to 50 of 130"));
    const bar = page.getByRole("region", { name: "With the selected tokens" });
    const dialog = page.getByRole("dialog");
    // Of two, one is retired before the change is confirmed. Only that one is named.
    for (const serial of ["31000002", "31000003"]) {
      await page.getByRole("checkbox", { name: `Select ${serial}` }).check();
    }
    await bar.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Suspend" }).click();
    await see(dialog.getByLabel("Reason"));
    await world.admin.patch("/api/hwkey/31000002", { status: "retired" });
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await see(dialog.getByText("1 token changed · 1 failed"));
    const failed = dialog.getByRole("table", { name: "Results" }).locator("tbody tr");
    assert.equal(await failed.count(), 1);
    await see(failed.getByText("31000002"));
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await gone(dialog);

    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await bar.getByRole("button", { name: "Select all 130 that match" }).click();
    await see(bar.getByText("130 selected"));
    await bar.getByRole("button", { name: "More" }).click();
    const items = page.getByRole("menu").locator("[role=menuitem], [class*=Menu-divider]");
    const names = await items.evaluateAll((all) => all.map((e) => e.textContent));
    assert.equal(names.at(-3), "", "a line before what ends a token");
    assert.deepEqual(names.slice(-2), ["Report lost", "Retire"]);
    await page.getByRole("menuitem", { name: "Retire" }).click();
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
    assert.match(lines[0], /^\uFEFFserial,label,owner,organization,status,/);
    assert.match(lines[1], /^31000099,Crowd 099,,Acme,/);
    await see(page.getByText("100 rows exported"));
    await page.getByRole("searchbox").first().fill("33000001");
    await see(page.getByText("1 in total"));
    assert.match((await file("Export filtered tokens"))[1], /\r\n33000001,'=1\+1,/);
    await page.goto("/admin/people");
    assert.match((await file("Export all people"))[1], /\r\nmia,,mia@/);
    await page.goto("/tokens/30260001");
    const [history, events] = await file("Export all history entries");
    assert.match(history, /^keyward-history-30260001-\d{8}T/);
    assert.match(events, /hwkey\.registered,success,\d+,admin,/);
    // The same entries make the same lines as in the server's export.
    const all = await world.admin.get("/api/admin/audit/export?format=csv");
    const [head, ...rows] = events.replace("\uFEFF", "").trimEnd().split("\r\n");
    assert.equal(head, all.split("\r\n")[0]);
    for (const row of rows) assert.ok(all.includes(`\r\n${row}\r\n`), `the server's export has no ${row}`);
    await page.goto("/profile");
    assert.match(
      (await file("Export all sessions"))[1],
      /^\uFEFFid,created_at,expires_at,active,current,[\s\S]*,true,true,/,
    );
  });

  test("the audit log is saved as a file, and a file that is begun can be given up", async ({ visitor, page }) => {
    // Without it the page's memory takes the file, and the browser saves it.
    await page.addInitScript(() => delete window.showSaveFilePicker);
    await visitor.signIn("mia", "/admin/audit?action=hwkey.registered");
    const choose = async () => {
      await page.getByRole("button", { name: "Export" }).click();
      await page.getByRole("menuitem", { name: "CSV, for spreadsheets" }).click();
    };
    const [download] = await Promise.all([page.waitForEvent("download"), choose()]);
    assert.match(download.suggestedFilename(), /^keyward-audit-\d{8}T\d{6}Z\.csv$/);
    const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
    assert.ok(lines.slice(1).every((line) => line.includes(",hwkey.registered,")));
    await see(page.getByText(`Exported: ${lines.length - 1} entries,`));
    await page.route("**/api/admin/audit/export?*", () => undefined); // no answer comes
    await choose();
    await see(page.getByText("Exporting the audit log"));
    assert.ok(await page.getByRole("button", { name: "Export" }).isDisabled(), "two are made at once");
    await page.getByRole("button", { name: "Cancel" }).click();
    await see(page.getByText("Export cancelled. Nothing was saved."));
    await gone(page.getByText("Exporting the audit log"));
  });

  test("a token that there is not is said as any other page, with the way to the list", async ({ visitor, page }) => {
    visitor.allow(/404/);
    await visitor.signIn("mia", "/tokens/99999999");
    await see(page.getByRole("heading", { level: 1, name: "Token not found" }));
    assert.match(await page.title(), /^Token not found/);
    await page.getByRole("main").getByRole("link", { name: "Tokens", exact: true }).click();
    await see(page.getByRole("heading", { level: 1, name: "Tokens" }));
    assert.equal(new URL(page.url()).pathname, "/admin/tokens");
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
}
