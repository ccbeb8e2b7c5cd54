import assert from "node:assert/strict";
import { accessible } from "../harness/accessible.mjs";
import { eventually, gone, see } from "../harness/suite.mjs";

/** tasks are what a manager is told of people and certificates, and an administrator of the vault. */
export function tasks(test) {
  test("who is locked out stands on the overview and among the people", async ({ world, visitor, page }) => {
    for (let i = 0; i < 6; i++) await world.api("erin", "a guess").catch(() => {});
    await visitor.signIn("mia", "/");
    await see(page.getByText("erin's account is locked after too many wrong passwords."));
    await page.goto("/admin/people?state=locked");
    await see(page.getByRole("link", { name: "erin" }));
    assert.equal(await page.locator("tbody tr").count(), 1);
  });

  test("the overview and the report say how many certificates end by week, and later", async ({ visitor, page }) => {
    await visitor.signIn("mia", "/admin/compliance");
    const title = "Certificates expiring, by week";
    await see(page.getByRole("heading", { name: title }));
    await see(page.getByText(/^None of \d+ valid certificates expires in the next 26 weeks\.$/)); // they last for a year
    await page.goto("/admin/compliance?within=400");
    await see(page.getByText("3 more expire later, within the number of days you chose."));
    await page.goto("/");
    await see(page.getByText(/^None of \d+ valid certificates expires in the next 13 weeks\.$/));
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
    await task.getByRole("link", { name: "View" }).click();
    await see(page.getByText("1 in total"));
    await see(page.getByRole("link", { name: "dave" }));
    await page.goto("/admin/compliance");
    const list = page.getByRole("table", { name: "Expired certificates on active tokens" });
    await see(list.getByRole("link", { name: "dave" }));
    await page.getByRole("link", { name: "1 Expired certificates" }).click();
    await page.waitForURL(/\/certificates\?show=lapsed/);
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
}
