import assert from "node:assert/strict";
import { eventually, see } from "../harness/suite.mjs";

/** audit is the log as a list: newest first, or the other way round, and its filters with it. */
export function audit(test) {
  test("the audit log begins with its oldest entry for whoever presses the head of its time", async ({
    world,
    visitor,
    page,
  }) => {
    const rows = page.locator("tbody:not([inert]) tr");
    const [first] = (await world.admin.get("/api/admin/audit?action=hwkey.&sort=at&limit=1")).items;
    const [last] = (await world.admin.get("/api/admin/audit?action=hwkey.&limit=1")).items;
    assert.notEqual(first.id, last.id);
    const opens = (entry) => rows.first().getByRole("button", { name: new RegExp(`\\b${entry.id}$`) });
    await visitor.signIn("admin", "/admin/audit?action=hwkey.");
    await see(opens(last));
    await page.getByRole("columnheader", { name: "Time" }).getByRole("button").click();
    await page.locator('th[aria-sort="ascending"]', { hasText: "Time" }).waitFor();
    await see(opens(first));
    assert.equal(new URL(page.url()).searchParams.get("sort"), "at");
    // Another filter keeps the order, and so does a page more.
    await page.goto("/admin/audit?sort=at&rows=25");
    await page.getByRole("button", { name: "Next" }).click();
    await see(page.getByText(/^26 to 50 of/));
    const times = await rows.locator("time").evaluateAll((all) => all.map((e) => Date.parse(e.dateTime)));
    assert.ok(times.length > 10); // what belongs together is one row
    assert.deepEqual(
      times,
      times.toSorted((a, b) => a - b),
    );
    await page.getByRole("button", { name: "Last hour" }).click();
    await eventually("the filter is set", async () => new URL(page.url()).searchParams.has("from"));
    assert.equal(new URL(page.url()).searchParams.get("sort"), "at");
  });
}
