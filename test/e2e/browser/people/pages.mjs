import assert from "node:assert/strict";
import { accessible } from "../harness/accessible.mjs";
import { gone, see } from "../harness/suite.mjs";
import { settled } from "../harness/visitor.mjs";

const next = (page) => page.getByRole("region", { name: "What to do next" });

/** ownPages are those of a person and of an organization. */
export function ownPages(test) {
  test("a person's page says what to do next, does it, and keeps what happened", async ({ world, visitor, page }) => {
    const { id } = await world.person("noel", { name: "Noel Neu" });
    await world.token("30260009", { label: "Spare" });
    const main = page.getByRole("main");
    await visitor.signIn("mia", "/admin/people?q=noel");
    await main.getByRole("link", { name: "Noel Neu" }).click();
    await see(page.getByRole("heading", { level: 1, name: "Noel Neu" }));
    await see(next(page).getByText("Noel Neu has no token."));

    await next(page).getByRole("button", { name: "Assign token" }).click();
    const dialog = page.getByRole("dialog", { name: "Assign a token to Noel Neu (noel)" });
    await dialog.getByRole("combobox", { name: "Token" }).fill("30260009");
    await page.getByRole("option", { name: "30260009" }).click();
    await dialog.getByRole("button", { name: "Assign" }).click();
    await see(next(page).getByText("Spare (30260009): Not set up yet"));
    await see(main.getByRole("list", { name: "Tokens" }).getByRole("link", { name: "30260009" }));
    await next(page).getByRole("link", { name: "View token" }).click();
    await page.getByLabel("About this token").getByRole("link", { name: "Noel Neu (noel)" }).click();
    await page.waitForURL(`/admin/people/${id}`);

    for (let i = 0; i < 6; i++) await world.api("noel", "a guess").catch(() => {});
    await page.reload();
    await see(next(page).getByText(/^Noel Neu is locked out until /));
    await settled(page);
    await accessible(page, "a person's page");
    await page.setViewportSize({ width: 1280, height: 800 });
    await next(page).getByRole("button", { name: "Unlock" }).click();
    await gone(next(page).getByText("is locked out"));

    await world.api("noel"); // a session
    await page.reload();
    await main.getByRole("button", { name: /^End the session on/ }).click();
    await see(main.getByText("Not signed in anywhere."));
    const history = main.getByRole("table", { name: "History" });
    for (const what of ["Account unlocked", "Sign-in"]) await see(history.getByText(what).first());
    await main.getByRole("link", { name: "View in the audit log" }).click();
    await see(main.getByText("By and about Noel Neu"));
    await see(main.getByText("Account unlocked"));
  });

  test("an organization's page counts what its lists show", async ({ world, visitor, page }) => {
    const { id } = world.organizations.Globex;
    await world.admin.post("/api/admin/users", { username: "gil", email: "gil@globex.example", organization_id: id });
    const main = page.getByRole("main");
    await visitor.signIn("admin", "/admin/organizations");
    await main.getByRole("link", { name: "Globex", exact: true }).click();
    await see(page.getByRole("heading", { level: 1, name: "Globex" }));
    await see(main.getByText("1 invitation has not been accepted yet."));
    await see(main.getByRole("table", { name: "History" }).getByText("Person added").first());
    const people = main.getByRole("link", { name: /^\d+\s*People$/ });
    const n = Number.parseInt(await people.textContent(), 10);
    assert.equal(n, (await world.admin.get(`/api/admin/users?organization_id=${id}`)).items.length);
    await main.getByRole("listitem").filter({ hasText: "invitation" }).getByRole("link", { name: "View" }).click();
    await see(main.getByRole("link", { name: "gil" }));
    await see(main.getByRole("status").filter({ hasText: /^1 in total$/ }));
    await page.goBack();
    await people.click();
    await see(main.getByRole("status").filter({ hasText: new RegExp(`^${n} in total$`) }));
  });

  test("a manager has the pages of the own organization alone, without what is the administrators'", async ({
    world,
    visitor,
    page,
  }) => {
    const main = page.getByRole("main");
    await visitor.signIn("mia", "/profile");
    await main.getByRole("link", { name: "Acme" }).click();
    await see(page.getByRole("heading", { level: 1, name: "Acme" }));
    assert.equal(await main.getByRole("button", { name: "Edit" }).count(), 0);
    visitor.allow(/404/);
    await page.goto(`/admin/organizations/${world.organizations.Globex.id}`);
    await see(main.getByText("There is nothing at this address, or you can't see it."));
    await page.goto(`/admin/people/${world.people.olaf.id}`);
    await see(main.getByText("There is nothing at this address, or you can't see it."));
  });
}
