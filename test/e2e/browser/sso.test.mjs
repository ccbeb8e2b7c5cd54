import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after } from "node:test";
import { environ, folder, Program } from "./harness/program.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";

const secret = "the secret of the client keyward";
const script = new URL("../../oidc/provider/provider.js", import.meta.url).pathname;
const home = folder();
let provider;
after(async () => {
  await provider?.stop();
  rmSync(home, { recursive: true });
});

// The certified provider that test/oidc has, at an address of its own.
const { test } = suite({}, async (world) => {
  provider = new Program("node", [script], environ(home), null);
  provider.tell(
    JSON.stringify({
      client_id: "keyward",
      client_secret: secret,
      redirect_uris: [`${world.site}/api/auth/oidc/callback`],
      post_logout_redirect_uris: [`${world.site}/login`],
    }),
  );
  const [, issuer] = await provider.announces(/^ready (.+)$/m);
  for (const sub of ["alice", "bob"]) {
    const email = `${sub}@acme.example`;
    provider.tell(JSON.stringify({ account: { sub, email, email_verified: true, preferred_username: sub } }));
  }
  await world.admin.put("/api/admin/settings/oidc", {
    enabled: true,
    name: "Example ID",
    issuer,
    client_id: "keyward",
    client_secret: secret,
    scopes: ["openid", "email", "profile"],
    create_users: true,
    default_role: "user",
    default_organization_id: world.organizations.Acme.id,
    logout_at_provider: true,
  });
});

/** leaveSite lets a visitor go to the provider. Its page asks for a font of the internet, which it does without. */
async function leaveSite(visitor) {
  visitor.allow(/third host/);
  await visitor.context.route("https://**", (route) => route.abort());
}

/** atProvider fills in the provider's forms. */
async function atProvider(page, login) {
  await page.getByPlaceholder("Enter any login").fill(login);
  await page.getByPlaceholder("and password").fill("any");
  await page.getByRole("button", { name: "Sign-in" }).click();
  await page.getByRole("button", { name: "Continue" }).click();
}

const button = (page) => page.getByRole("link", { name: "Sign in with Example ID" });

test("single sign-on leads to the page that was asked for, and leaves no code in the address", async ({
  visitor,
  page,
}) => {
  await leaveSite(visitor);
  await page.goto("/certificates?q=alice");
  await button(page).click();
  await atProvider(page, "alice");
  await page.waitForURL((url) => url.pathname === "/certificates" && url.searchParams.get("q") === "alice");
  await see(page.getByRole("button", { name: "alice, Menu" }));
  assert.equal(new URL(page.url()).hash, "");
  await page.goBack();
  assert.ok(!/code=/.test(page.url()), page.url());
  const sent = visitor.requests.filter(({ url }) => /[?&#](access_token|refresh_token|id_token)=/.test(url));
  assert.deepEqual(sent, [], "a token is in an address");
});

test("signing out ends the provider's session, too", async ({ visitor, page }) => {
  await leaveSite(visitor);
  await page.goto("/login");
  await button(page).click();
  await atProvider(page, "bob");
  await page.getByRole("button", { name: "bob, Menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.getByRole("button", { name: "Yes, sign me out" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await button(page).click();
  await see(page.getByPlaceholder("Enter any login"));
});

test("the administrator's page offers the password alone", async ({ page }) => {
  await page.goto("/admin-login");
  await see(page.getByLabel("Password", { exact: true }));
  assert.equal(await button(page).count(), 0);
});

// What follows is about work in a page that a round of single sign-on must not cost.

const ended = (page) => page.getByRole("dialog", { name: "Your session has ended" });
const question = (page) => page.getByRole("dialog", { name: "Confirm it's you" });
const inWindow = (dialog) => dialog.getByRole("button", { name: "Sign in with Example ID" });
const again = (page) => page.getByRole("button", { name: "Open the window again" });

/** manager has somebody sign in for the first time, and makes them a manager. */
async function manager({ world, visitor, page }, login) {
  provider.tell(JSON.stringify({ account: { sub: login, email: `${login}@acme.example`, preferred_username: login } }));
  await leaveSite(visitor);
  await page.goto("/tokens");
  await button(page).click();
  await atProvider(page, login);
  await see(page.getByRole("button", { name: `${login}, Menu` }));
  const { items } = await world.admin.get(`/api/admin/users?q=${login}`);
  world.people[login] = items[0];
  await world.admin.patch(`/api/admin/users/${items[0].id}`, { role: "org_manager" });
  await page.goto("/tokens"); // the session has ended with the role; the provider's goes on
  await button(page).click();
  await see(page.getByRole("button", { name: `${login}, Menu` }));
}

/** addSomebody fills in half of the form for a new person, and leaves the focus in it. */
async function addSomebody(page, name) {
  await page.goto("/admin/people");
  await page.getByRole("button", { name: "Add person" }).click();
  const form = page.getByRole("dialog", { name: "Add person" });
  await form.getByLabel("Username").fill(name);
  await form.getByLabel("Email").fill(`${name}@acme.example`);
  return form;
}

/** endSession ends all sessions of somebody, and has the page find out. */
async function endSession(world, page, name) {
  const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people[name].id}`);
  for (const s of items.filter((s) => s.active)) await world.admin.delete(`/api/auth/sessions/${s.id}`);
  await page.clock.fastForward("01:01"); // the notices are asked for each minute
  await see(ended(page));
}

/** anew makes the provider forget who is signed in there. */
const anew = (context) => context.clearCookies({ name: /^_/ });

/** opens gives the window that something opens. */
async function opens(page, act) {
  const [popup] = await Promise.all([page.waitForEvent("popup"), act()]);
  return popup;
}

async function exists(world, name) {
  return (await world.admin.get(`/api/admin/users?q=${name}`)).items.length > 0;
}

/** askForKey asks for an API key when the last proof is too long ago. */
async function askForKey(world, page, login, name) {
  await page.goto("/admin/api-keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name").fill(name);
  await world.stale(login);
  await form.getByRole("button", { name: "Create key" }).click();
  await see(question(page));
}

const confirmThere = (page) => question(page).getByRole("button", { name: "Confirm with single sign-on" });
const made = (page) => page.getByRole("dialog", { name: "Your new key" });

test("a session ends in the middle of a form: the sign-in happens in a window, and the form is still there", async (t) => {
  const { world, page, context } = t;
  await page.clock.install();
  await manager(t, "cleo");
  const form = await addSomebody(page, "newby");
  await endSession(world, page, "cleo");
  await anew(context);
  const popup = await opens(page, () => inWindow(ended(page)).click());
  await see(ended(page).getByRole("status").getByText("Continue in the new window."));
  const closed = popup.waitForEvent("close");
  await atProvider(popup, "cleo");
  await closed;
  await gone(ended(page));
  assert.equal(await form.getByLabel("Username").inputValue(), "newby");
  await page.waitForFunction(() => document.activeElement?.type === "email");
  await form.getByRole("button", { name: "Add", exact: true }).click();
  await eventually("the newcomer has an account", () => exists(world, "newby"));
});

test("a window that is closed, or ends with an error, costs nothing: the round can be begun again", async (t) => {
  const { world, visitor, page, context } = t;
  await page.clock.install();
  await manager(t, "cora");
  const form = await addSomebody(page, "second");
  await endSession(world, page, "cora");
  await anew(context);
  const first = await opens(page, () => inWindow(ended(page)).click());
  await see(first.getByPlaceholder("Enter any login"));
  await first.close();
  await page.evaluate(() => window.dispatchEvent(new FocusEvent("focus"))); // this browser's pages never lose it
  await see(ended(page).getByRole("status").getByText("You are not done yet."));
  const popup = await opens(page, () => again(page).click());
  await popup.getByRole("link", { name: "[ Cancel ]" }).click();
  await see(popup.getByRole("alert").getByText("Single sign-on failed."));
  await see(popup.getByRole("alert").getByText(/Request [A-Z0-9]{10,}/));
  await see(ended(page));
  const closed = popup.waitForEvent("close");
  await button(popup).click();
  await atProvider(popup, "cora");
  await closed;
  await gone(ended(page));
  assert.equal(await form.getByLabel("Username").inputValue(), "second");
  const sent = visitor.requests.filter(({ url }) => /[?&#](access_token|refresh_token|id_token)=/.test(url));
  assert.deepEqual(sent, [], "a token is in an address");
});

test("another person who signs in in the window does nothing of the first one's", async (t) => {
  const { world, page, context } = t;
  await page.clock.install();
  await manager(t, "dora");
  await addSomebody(page, "nobodys");
  await endSession(world, page, "dora");
  await anew(context);
  const popup = await opens(page, () => inWindow(ended(page)).click());
  const loaded = page.waitForEvent("load"); // not the same page with other data
  await atProvider(popup, "bob");
  await loaded;
  await page.waitForURL("/");
  await see(page.getByRole("button", { name: "bob, Menu" }));
  assert.ok(!(await page.content()).includes("nobodys"), "the first one's text is in the page");
  assert.equal(await exists(world, "nobodys"), false);
});

test("confirming by single sign-on happens in a window, for all tabs that wait; nobody else can", async (t) => {
  const { world, page, context, open } = t;
  const bob = await open(); // who has an account
  await leaveSite(bob);
  await bob.page.goto("/tokens");
  await button(bob.page).click();
  await atProvider(bob.page, "bob");
  await see(bob.page.getByRole("button", { name: "bob, Menu" }));
  await manager(t, "edda");
  const other = await context.newPage();
  await askForKey(world, page, "edda", "of the first tab");
  await askForKey(world, other, "edda", "of the second tab");
  await anew(context);
  const popup = await opens(page, () => confirmThere(page).click());
  await atProvider(popup, "bob");
  await see(popup.getByRole("alert").getByText("Single sign-on: This belongs to another account."));
  await see(popup.getByRole("heading", { name: "Confirm it's you" }));
  await see(question(page));
  const keys = async () => (await world.admin.get("/api/admin/api-keys")).items.filter((k) => /tab$/.test(k.name));
  assert.deepEqual(await keys(), [], "made without its owner's confirmation");
  await anew(context); // this provider does not change from one person to another
  const closed = popup.waitForEvent("close");
  await popup.getByRole("link", { name: "Confirm with single sign-on" }).click();
  await atProvider(popup, "edda");
  await closed;
  for (const tab of [page, other]) {
    await gone(question(tab));
    await see(made(tab));
  }
  assert.equal((await keys()).length, 2);
});

test("where the browser opens no window, the page says so and what it costs, and goes on by itself", async (t) => {
  const { world, page, context } = t;
  await manager(t, "fay");
  await askForKey(world, page, "fay", "in one page");
  await anew(context);
  await page.evaluate(() => {
    window.open = () => null;
  });
  await confirmThere(page).click();
  await see(question(page).getByRole("alert").getByText("lose what you entered here"));
  await question(page).getByRole("link", { name: "Continue on this page" }).click();
  await atProvider(page, "fay");
  await page.waitForURL("/admin/api-keys");
  await page.getByRole("button", { name: "Create key" }).first().click();
  const form = page.getByRole("dialog", { name: "Create an API key" });
  await form.getByLabel("Name").fill("in one page");
  await form.getByRole("button", { name: "Create key" }).click();
  await see(made(page));
});
