import assert from "node:assert/strict";
import { hasFocus } from "./harness/keys.mjs";
import { gone, see, suite } from "./harness/suite.mjs";
import { fillIn } from "./harness/visitor.mjs";
import { adminPassword, password } from "./harness/world.mjs";

const { test } = suite();

const alert = (page) => page.getByRole("alert");

test("a wrong password is refused with the reason and the request's id", async ({ page }) => {
  await page.goto("/login");
  await see(page.getByRole("main").getByText("Keyward", { exact: true }));
  await hasFocus(page, page.getByLabel("Username or email"), "what is typed first");
  const answer = page.waitForResponse("**/api/auth/login");
  await fillIn(page, "carol", "not her password");
  const { detail, request_id } = await (await answer).json();
  await see(alert(page).getByText(detail));
  await see(alert(page).getByText(request_id));
  assert.equal(await page.getByLabel("Password", { exact: true }).inputValue(), "", "the password stays in the form");
  await fillIn(page, "carol", password);
  await page.waitForURL("/");
});

test("an account that is locked says so, and for how long", async ({ world, page, open }) => {
  await world.person("lena");
  await page.goto("/login");
  for (let i = 0; i < 5; i++) {
    const answer = page.waitForResponse("**/api/auth/login");
    await fillIn(page, "lena", `a guess, number ${i}`);
    await answer;
    await see(alert(page));
  }
  const answer = page.waitForResponse("**/api/auth/login");
  await fillIn(page, "lena", password);
  const locked = await answer;
  const { code } = await locked.json();
  assert.equal(code, "account_locked");
  await see(alert(page).getByText("Too many failed sign-ins. Wait, or ask an administrator to unlock the account."));
  const seconds = Number(locked.headers()["retry-after"]);
  await see(alert(page).getByText(`Try again in ${Math.ceil(seconds / 60)} minutes.`));

  // An open list says so as long as it is true, without being asked for again.
  const manager = await open();
  await manager.page.clock.install();
  await manager.signIn("mia", "/admin/people?q=lena");
  const people = manager.page.getByRole("table");
  const shown = people.getByText("Locked").filter({ visible: true });
  await see(shown);
  const asked = manager.requests.length;
  await manager.page.clock.fastForward((seconds + 60) * 1000);
  await gone(shown);
  const lists = manager.requests.slice(asked).filter(({ url }) => url.includes("/api/admin/users"));
  assert.deepEqual(lists, []);
  await see(people.getByText("lena").first());
});

test("a password that must be changed is changed on the way in", async ({ world, page }) => {
  const next = "Nina chose this one, 3rd";
  await world.person("nina", { must_change_password: true });
  await page.goto("/tokens");
  await fillIn(page, "nina", password);
  await see(page.getByRole("heading", { name: "Choose a new password" }));
  await page.getByLabel("New password", { exact: true }).fill(next);
  await page.getByLabel("Repeat new password").fill("another");
  await see(page.getByText("The passwords don't match."));
  await page.getByLabel("Repeat new password").fill(next);
  await page.getByRole("button", { name: "Change and sign in" }).click();
  await page.waitForURL("/tokens");
  await see(page.getByRole("heading", { level: 1, name: /tokens/i }));
  await world.api("nina", next);
});

test("a new password that the policy refuses says which rule", async ({ world, page }) => {
  await world.person("rita", { must_change_password: true });
  await page.goto("/login");
  await fillIn(page, "rita", password);
  await see(page.getByText("8 to 128 characters"));
  for (const label of ["New password", "Repeat new password"]) {
    await page.getByLabel(label, { exact: true }).fill("password1");
  }
  const answer = page.waitForResponse("**/api/auth/password");
  await page.getByRole("button", { name: "Change and sign in" }).click();
  const { code, errors } = await (await answer).json();
  assert.equal(code, "password_policy");
  assert.equal(errors[0].code, "common");
  await see(page.getByText("This password is too common.", { exact: true }));
  await page.getByLabel("New password", { exact: true }).and(page.locator(":focus")).waitFor();
  assert.equal(await alert(page).count(), 0, "it stands below the field, and nowhere else");

  // In German all of it is German, and there once, too.
  await page.evaluate(() => localStorage.setItem("keyward-language", "de"));
  await page.goto("/login");
  const signIn = async (secret) => {
    await page.getByLabel("Benutzername oder E-Mail").fill("rita");
    await page.getByLabel("Passwort", { exact: true }).fill(secret);
    await page.getByRole("button", { name: "Anmelden", exact: true }).click();
  };
  await signIn("not the one");
  const wrong = "Benutzername oder Passwort stimmt nicht. Versuchen Sie es noch einmal.";
  await see(alert(page).getByText(wrong));
  assert.equal(await page.getByText(wrong).count(), 1);
  await signIn(password);
  for (const label of ["Neues Passwort", "Neues Passwort wiederholen"]) {
    await page.getByLabel(label, { exact: true }).fill("password1");
  }
  await page.getByRole("button", { name: "Ändern und anmelden" }).click();
  await see(page.getByText("Dieses Passwort ist zu verbreitet. Wählen Sie ein anderes.", { exact: true }));
  assert.equal(await alert(page).count(), 0);
});

test("administrators sign in at their own page", async ({ page }) => {
  await page.goto("/admin-login");
  await see(page.getByRole("heading", { level: 1, name: "Administrator sign-in" }));
  await fillIn(page, "admin", adminPassword);
  await page.waitForURL("/");
  await see(page.getByRole("navigation").getByRole("link", { name: "Settings" }));
});

test("who asked for a page comes back to it, search and all", async ({ visitor, page }) => {
  await visitor.signInByForm("mia", "/admin/people?q=carol");
  await page.waitForURL((url) => url.pathname === "/admin/people" && url.searchParams.get("q") === "carol");
});

test("no return path leads out of the site", async ({ world, page, context }) => {
  const outside = [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example/",
    "/\\/evil.example",
    "\\\\evil.example",
    "javascript:alert(1)",
    "/%2f/evil.example",
    "/\t/evil.example",
    "/api/auth/oidc/start",
    "/login",
    "evil.example",
  ];
  for (const path of outside) {
    await context.clearCookies();
    await page.goto(`/login?return_to=${encodeURIComponent(path)}`);
    await fillIn(page, "carol", password);
    await page.waitForURL((url) => url.pathname !== "/login");
    await see(page.getByRole("main"));
    assert.equal(new URL(page.url()).origin, world.site, `return_to=${path}`);
  }
});

test("a reload keeps the person signed in, and nothing that a script can read holds a token", async ({
  world,
  visitor,
  page,
  context,
}) => {
  const tokens = [];
  page.on("response", async (response) => {
    if (!/\/api\/auth\/(login|refresh)$/.test(response.url()) || !response.ok()) return;
    tokens.push(response.json().then((body) => body));
  });
  await visitor.signInByForm("carol", "/tokens");
  await page.reload();
  await see(page.getByRole("heading", { level: 1, name: /tokens/i }));
  assert.equal(new URL(page.url()).pathname, "/tokens");
  const grants = await Promise.all(tokens);
  assert.equal(grants.length, 2, "one sign-in, one refresh");

  const cookies = await context.cookies();
  const refresh = cookies.find((c) => c.path === "/api/auth");
  assert.ok(refresh?.httpOnly && refresh.sameSite === "Strict", `the refresh cookie: ${JSON.stringify(refresh)}`);
  const readable = await page.evaluate(() =>
    JSON.stringify([
      document.cookie,
      { ...localStorage },
      { ...sessionStorage },
      history.state,
      document.documentElement.outerHTML,
    ]),
  );
  for (const grant of grants) {
    assert.equal(grant.refresh_token ?? "", "", "the refresh token is in the body");
    for (const secret of [grant.access_token, refresh.value]) {
      assert.ok(!readable.includes(secret), "a script can read a token");
      assert.ok(!visitor.requests.some(({ url }) => url.includes(secret)), "a token is in an address");
      assert.ok(!world.server.log.includes(secret), "a token is in the log");
    }
  }
  const databases = await page.evaluate(async () => [
    (await indexedDB.databases()).length,
    (await caches.keys()).length,
    (await navigator.serviceWorker.getRegistrations()).length,
  ]);
  assert.deepEqual(databases, [0, 0, 0], "databases, caches, service workers");
});

test("signing out ends the session, here and at the server", async ({ world, visitor, page }) => {
  const granted = page.waitForResponse("**/api/auth/login");
  await visitor.signInByForm("carol");
  const { access_token } = await (await granted).json();
  await page.getByRole("button", { name: "carol, Menu" }).click();
  await page.getByRole("menuitem", { name: "Sign out" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await gone(page.locator("#content"));
  const me = await fetch(`${world.site}/api/auth/me`, { headers: { Authorization: `Bearer ${access_token}` } });
  assert.equal(me.status, 401);
  await page.goto("/tokens");
  await page.waitForURL((url) => url.pathname === "/login");
  await page.goBack();
  await see(page.getByLabel("Username or email"));
  assert.equal(await page.getByText("carol").count(), 0, "the former person's name is still shown");
});

test("an address that names no page says so", async ({ visitor, page }) => {
  await page.goto("/no/such/page");
  await see(page.getByRole("heading", { level: 1, name: "Page not found" }));
  assert.equal(await page.title(), "Page not found · Keyward");
  await page.getByRole("link", { name: "View overview" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  // Who is signed in has the navigation there.
  await visitor.signInByForm("carol", "/");
  await page.goto("/no/such/page");
  await see(page.getByRole("heading", { level: 1, name: "Page not found" }));
  await page.getByRole("navigation", { name: "Main navigation" }).getByRole("link", { name: "Certificates" }).click();
  await page.waitForURL((url) => url.pathname === "/certificates");
});
