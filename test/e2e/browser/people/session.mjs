import assert from "node:assert/strict";
import { eventually, gone, see } from "../harness/suite.mjs";
import { fillIn } from "../harness/visitor.mjs";

const ended = (page) => page.getByRole("dialog", { name: "Your session has ended" });
const refreshed = (page) => page.waitForResponse((r) => r.url().endsWith("/api/auth/refresh"));
const owner = (page, name) => page.getByRole("button", { name: `${name}, Menu` });

/** visit goes to another page by the navigation. */
async function visit(page, link) {
  await page.getByRole("navigation").getByRole("link", { name: link }).click();
  await see(page.getByRole("heading", { level: 1, name: new RegExp(link.replace("My ", ""), "i") }));
}

/** later makes the page ask for the notices, as it does every minute. */
function later(page) {
  return page.clock.fastForward("01:01");
}

/** endSessions ends all sessions of somebody, as an administrator does. */
async function endSessions(world, name) {
  const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people[name].id}`);
  for (const s of items.filter((s) => s.active)) await world.admin.delete(`/api/auth/sessions/${s.id}`);
}

/** session is how a session is renewed, and how it ends. */
export function session(test) {
  test("the access token is renewed before its end, without the person noticing", async ({ world, visitor, page }) => {
    await page.clock.install();
    await visitor.signIn("carol", "/tokens");
    for (let i = 0; i < 3; i++) {
      const answer = refreshed(page);
      await page.clock.fastForward("29:05"); // of 30 minutes
      assert.equal((await answer).status(), 200);
    }
    await visit(page, "Certificates");
    await gone(ended(page));
    assert.deepEqual(await world.admin.actions("auth.refresh_reuse"), []);
  });

  test("a session that the server ended is explained over the page, and what was typed is still there", async ({
    world,
    visitor,
    page,
  }) => {
    await world.person("nora", { role: "org_manager" });
    await page.clock.install();
    await visitor.signIn("nora", "/admin/people");
    await page.getByRole("button", { name: "Add person" }).click();
    const form = page.getByRole("dialog", { name: "Add person" });
    await form.getByLabel("Username").fill("newcomer");
    await form.getByLabel("Email").fill("newcomer@acme.example");
    await endSessions(world, "nora");
    await later(page);
    await see(ended(page));
    await see(ended(page).getByText("or it was ended by you or an administrator"));
    await page.keyboard.press("Escape");
    await see(ended(page));
    assert.equal(await ended(page).getByLabel("Username or email").inputValue(), "nora");
    await fillIn(ended(page), "nora", world.people.nora.password);
    await gone(ended(page));
    assert.equal(await form.getByLabel("Username").inputValue(), "newcomer");
    await form.getByRole("button", { name: "Add", exact: true }).click();
    await eventually("the newcomer has an account", async () => {
      const { items } = await world.admin.get("/api/admin/users?q=newcomer");
      return items.length === 1;
    });
  });

  test("another person who signs in sees nothing of the former page", async ({ world, visitor, page }) => {
    await world.person("una", { role: "org_manager" });
    await page.clock.install();
    await visitor.signIn("una", "/admin/people");
    await endSessions(world, "una");
    await later(page);
    await see(ended(page));
    const loaded = page.waitForEvent("load"); // not the same page with other data
    await fillIn(ended(page), "olaf", world.people.olaf.password);
    await loaded;
    await page.waitForURL("/");
    await see(owner(page, "olaf"));
    assert.equal(await page.getByRole("link", { name: "People" }).count(), 0);
    assert.ok(!(await page.content()).includes("una"), "the former person's name is in the page");
  });

  test("two tabs renew by the same cookie and stay signed in", async ({ world, visitor, page, context }) => {
    await page.clock.install();
    await visitor.signIn("dave", "/tokens");
    const other = await context.newPage();
    await other.clock.install();
    await other.goto("/certificates");
    await see(owner(other, "dave"));
    for (let i = 0; i < 3; i++) {
      const answers = [refreshed(page), refreshed(other)];
      await Promise.all([page.clock.fastForward("29:05"), other.clock.fastForward("29:05")]);
      for (const answer of answers) assert.equal((await answer).status(), 200);
    }
    await visit(page, "Certificates");
    await visit(other, "My tokens");
    await gone(ended(page));
    await gone(ended(other));
    assert.deepEqual(await world.admin.actions("auth.refresh_reuse"), []);
  });

  test("signing out in one tab shows in the other, and so does signing in again", async ({
    visitor,
    page,
    context,
  }) => {
    await visitor.signIn("erin", "/tokens");
    const other = await context.newPage();
    await other.goto("/certificates");
    await see(owner(other, "erin"));
    await owner(page, "erin").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await see(ended(other).getByText("You signed out in another tab."));
    await fillIn(page, "erin", visitor.world.people.erin.password);
    await gone(ended(other));
    await visit(other, "My tokens");
  });

  test("a late answer to a sign-out takes nothing of a sign-in in another tab", async ({
    world,
    visitor,
    page,
    context,
  }) => {
    await visitor.signIn("erin", "/tokens");
    const other = await context.newPage();
    let release;
    const released = new Promise((resolve) => {
      release = resolve;
    });
    let over = false;
    await page.route("**/api/auth/logout", async (route) => {
      const response = await route.fetch();
      over = true;
      await released;
      await route.fulfill({ response }); // with the cookies that it deletes
    });
    await owner(page, "erin").click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await eventually("the session is over", () => over);
    await other.goto("/login");
    let signedIn = false;
    other.on("response", (r) => {
      if (r.url().endsWith("/api/auth/login")) signedIn = true;
    });
    await fillIn(other, "erin", world.people.erin.password);
    const waits = () => other.evaluate(async () => (await navigator.locks.query()).pending.length > 0);
    await eventually("the sign-in has begun", async () => signedIn || (await waits()));
    release();
    await page.waitForURL((url) => url.pathname === "/login");
    await see(owner(other, "erin"));
    await other.reload();
    await see(owner(other, "erin"));
  });

  test("a server that is away for a moment costs nobody their session", async ({ visitor, page }) => {
    await page.clock.install();
    visitor.allow(/ERR_FAILED/);
    await visitor.signIn("carol", "/tokens");
    await page.route("**/api/auth/refresh", (route) => route.abort());
    const failed = page.waitForEvent("requestfailed");
    await page.clock.fastForward("29:05");
    await failed;
    await gone(ended(page));
    await page.unroute("**/api/auth/refresh");
    await visit(page, "Certificates");
    await gone(ended(page));
  });
}
