import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test as plain } from "node:test";
import { pages, someone } from "../harness/pages.mjs";
import { see } from "../harness/suite.mjs";
import { fillIn } from "../harness/visitor.mjs";

const serial = "30260001"; // of the world

/** links are what the navigation offers, as paths. */
function links(page) {
  return page
    .getByRole("navigation")
    .getByRole("link")
    .evaluateAll((all) => all.map((a) => a.getAttribute("href")));
}

/** roles is what each role sees. */
export function roles(test) {
  for (const [role, name] of Object.entries(someone)) {
    test(`${role}: the navigation shows what the role may, and a typed address no more`, async ({ visitor, page }) => {
      await visitor.signIn(name);
      assert.deepEqual(
        (await links(page)).toSorted(),
        pages
          .filter((p) => p.listed.includes(role))
          .map((p) => p.path)
          .toSorted(),
      );
      if (role === "global_admin") return; // who may see all pages: access.test.mjs opens each
      for (const { path, roles } of pages.filter((p) => !p.path.includes("$"))) {
        const mark = visitor.requests.length;
        await page.goto(path);
        if (roles.includes(role)) {
          await see(page.getByRole("heading", { level: 1 }));
          assert.equal(await page.getByText("Your role doesn't have access to this page.").count(), 0, path);
          continue;
        }
        await see(page.getByText("Your role doesn't have access to this page."));
        assert.equal(new URL(page.url()).pathname, path, "the address stays");
        const asked = visitor.requests.slice(mark).map((r) => new URL(r.url).pathname);
        const beyond = asked.filter((p) => /^\/api\/(admin|backup|reports)/.test(p));
        assert.deepEqual(beyond, [], `${path} asks the server for what it refuses`);
      }
    });
  }

  test("what belongs to somebody else is not found", async ({ visitor, page }) => {
    await visitor.signIn("dave");
    for (const path of [`/tokens/${serial}`, "/certificates/ffffffffffffffff"]) {
      await page.goto(path);
      await see(
        page
          .getByRole("main")
          .getByText(/not found|no such|doesn.t exist|there is no/i)
          .first(),
      );
    }
  });

  test("a role that changes counts at once, in a page that is open", async ({ world, visitor, page }) => {
    const { id } = await world.person("vera", { role: "org_manager" });
    await page.clock.install();
    await visitor.signIn("vera", "/tokens");
    assert.ok((await links(page)).includes("/admin/people"));
    await world.admin.patch(`/api/admin/users/${id}`, { role: "user" });
    await page.goto("/admin/people");
    await fillIn(page, "vera", world.people.vera.password); // the session has ended with the role
    await see(page.getByText("Your role doesn't have access to this page."));
    assert.ok(!(await links(page)).includes("/admin/people"));
  });

  plain("the list of pages is complete", () => {
    const source = readFileSync(new URL("../../../../ui/src/routes.tsx", import.meta.url), "utf8");
    const routed = [...source.matchAll(/^ +path: "([^"]+)"/gm)].map((m) => m[1]);
    const listed = pages.map((p) => p.path);
    assert.deepEqual(routed.toSorted(), [...listed, "/login", "/admin-login", "/invitation", "/restoring"].toSorted());
  });
}
