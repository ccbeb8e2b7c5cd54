import assert from "node:assert/strict";
import { rmSync } from "node:fs";
import { after } from "node:test";
import { environ, folder, Program } from "./harness/program.mjs";
import { see, suite } from "./harness/suite.mjs";

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

test("a round that the provider refuses says so, with the request's id", async ({ visitor, page }) => {
  await leaveSite(visitor);
  await page.goto("/login");
  await button(page).click();
  await page.getByRole("link", { name: "[ Cancel ]" }).click();
  await page.waitForURL((url) => url.pathname === "/login");
  await see(page.getByRole("alert").getByText("Single sign-on did not finish."));
  await see(page.getByRole("alert").getByText(/Request [A-Z0-9]{10,}/));
  assert.equal(new URL(page.url()).hash, "", "the reason stays in the address");
});

test("the administrator's page offers the password alone", async ({ page }) => {
  await page.goto("/admin-login");
  await see(page.getByLabel("Password", { exact: true }));
  assert.equal(await button(page).count(), 0);
});
