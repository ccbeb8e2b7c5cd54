// What the pages say is true: of certificates, of the vault, of what was not finished, of what happened. Each test
// sees the true sentence, and not the one that once stood there.
import assert from "node:assert/strict";
import { act, card, choosePin, dialog, signInToTokens } from "./harness/flows.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";

const [gap, slots, found, fresh] = ["20260051", "20260052", "20260053", "20260054"];

const { test } = suite({ tokens: [gap, slots, found], agent: true }, async (world) => {
  await world.token(gap, { owner: "carol", label: "Gap" });
  await world.token(slots, { owner: "dave", label: "Slots" });
  await world.token(found, { owner: "erin", label: "Found" });
  const owners = { [gap]: "carol", [slots]: "dave", [found]: "erin" };
  await Promise.all(Object.entries(owners).map(([serial, name]) => world.command("enroll", serial, name)));
});

const live = async (world, serial) =>
  (await world.admin.get(`/api/certificates?hwkey_serial=${serial}&status=issued`)).items;
const todo = (page, text) => page.getByRole("listitem").filter({ hasText: text });

/** obtain gets a certificate for a slot by the token's page, where the person is. */
async function obtain(page, slot) {
  await act(page, "New certificate");
  const form = dialog(page);
  await form.getByRole("radio", { name: new RegExp(`^${slot} `) }).click();
  await form.getByRole("button", { name: "Get certificate" }).click();
  return form;
}

test("all is not done while the certificate to sign in by is revoked, though another one lives", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "carol");
  await card(page, "Gap").getByRole("link", { name: "Gap" }).click();
  const form = await obtain(page, "9c");
  await see(form.getByText("The certificate is on the token."));
  await form.getByRole("button", { name: "Done" }).click();
  const [authentication] = (await live(world, gap)).filter((c) => c.slot === "9a");

  // Before it is revoked, the page says from when on it is not accepted, as it is: a list is valid for days.
  await page.goto(`/certificates/${authentication.serial_number}`);
  await page.getByRole("button", { name: "Revoke…" }).click();
  const ask = dialog(page);
  await see(ask.getByText("may accept the certificate until that copy expires, which can take up to three days"));
  await gone(ask.getByText(/everywhere|within moments|at once/));
  await see(ask.getByText(`token ${gap}`));
  // Whoever uses a token has the reasons that they can know, in plain words.
  await ask.getByRole("combobox", { name: "Reason" }).click();
  const reasons = await page.getByRole("option").allTextContents();
  assert.deepEqual(reasons, [
    "Another reason",
    "Lost, stolen, or used by someone else",
    "Replaced by a new one",
    "I no longer need it",
  ]);
  await page.keyboard.press("Escape");
  await ask.getByRole("button", { name: "Revoke", exact: true }).click();
  await gone(ask);

  await page.goto("/");
  const task = todo(page, "The certificate for Authentication on “Gap” is revoked.");
  await see(task);
  await gone(page.getByText(/^All done/));
  assert.deepEqual(
    (await live(world, gap)).map((c) => c.slot),
    ["9c"],
  );

  // What is revoked stays valid for nobody.
  await task.getByRole("link", { name: "Renew" }).click();
  await page.getByRole("button", { name: "Renew your sign-in certificate" }).click();
  const renew = page.getByRole("dialog", { name: /^Renew your sign-in certificate/ });
  await see(renew.getByText("The current certificate no longer works. A new one takes its place on the token."));
  await gone(renew.getByText(/stays valid/));
  await renew.getByRole("button", { name: "Renew", exact: true }).click();
  await see(renew.getByText("The new certificate is on the token"));
  await renew.getByRole("button", { name: "Done" }).click();
  // The PIN of the set-up is left, and then the page may say that all is done.
  await page.getByRole("button", { name: "Choose your PIN" }).click();
  await see(dialog(page).getByText("Keyward keeps an encrypted copy."));
  await gone(dialog(page).getByText(/only you/i));
  await choosePin(dialog(page), "739184");
  await dialog(page).getByRole("button", { name: "Change PIN" }).click();
  await see(dialog(page).getByText("The new PIN is set."));
  await page.goto("/");
  await see(page.getByText("All done, carol."));

  // What ended on its own is a task just so.
  await world.ends(gap, -1 / 86_400);
  await page.reload();
  await see(todo(page, "The certificate for Authentication on “Gap” has expired."));
  await gone(page.getByText(/^All done/));
});

test("an open change of PIN goes on with the last try left, without spending it", async ({ world, visitor, page }) => {
  await signInToTokens(visitor, "erin");
  await page.goto(`/tokens/${found}`);
  await page.route("**/piv/set-pin", (route) => route.abort());
  await page.getByRole("button", { name: "Choose your PIN" }).click();
  await choosePin(dialog(page), "849207");
  await dialog(page).getByRole("button", { name: "Change PIN" }).click();
  await see(dialog(page).getByText("The agent on this computer is not responding."));
  await page.unroute("**/piv/set-pin");
  await world.blockPIN(found, 2);
  await page.goto("/");
  const task = todo(page, "Changing the secrets of “Found” was interrupted.");
  await task.getByRole("link", { name: "Continue" }).click();
  const form = dialog(page);
  await see(form.getByRole("img", { name: /1 PIN try left/ }));
  await form.getByRole("button", { name: "Cancel" }).click();
  await see(page.getByText("Changing its secrets was interrupted, and only one PIN try is left."));
  await see(page.getByRole("button", { name: "Continue PIN change" }));
  await page.getByRole("button", { name: "Continue unblocking PIN" }).click();
  await choosePin(form, "375291", "Your PIN");
  await form.getByRole("button", { name: "Unblock PIN" }).click();
  await see(form.getByText("The PIN is unblocked."));
  await form.getByRole("button", { name: "Done" }).click();
  await see(page.getByRole("img", { name: /3 PIN tries left/ }));
  assert.equal((await world.admin.get(`/api/hwkey/${found}`)).secrets.rotation_pending, false);
  await world.command("renew", found, "erin"); // its PIN is the one on record
  // The token takes the PIN that was chosen, and its tries are whole; the one before is wrong.
  assert.equal(await world.takesPIN(found, "849207"), false);
  assert.equal(await world.takesPIN(found, "375291"), true);
  assert.equal(await world.takesPIN(found, "375291"), true, "changed to itself, it is the same");
});

test("on a healthy token unblocking is at hand for the help desk, and no main button", async ({
  world,
  visitor,
  page,
}) => {
  await visitor.signIn("mia", `/tokens/${slots}`);
  await see(page.getByText("Agent connected"));
  const unblock = page.getByRole("button", { name: "Unblock PIN" });
  await see(unblock);
  const looks = (button) => button.getAttribute("data-variant");
  assert.equal(await looks(unblock), "default");
  await page.goto(`/tokens/${found}`);
  await see(page.getByText("Agent connected"));
  await see(unblock);
  // So it is told from one that is.
  await see(page.getByRole("img", { name: /3 PIN tries left/ }));
  await world.blockPIN(found);
  // Back from the other program: the page reads the card again.
  await page.evaluate(() => document.dispatchEvent(new Event("visibilitychange", { bubbles: true })));
  await see(page.getByText("Its PIN is blocked."));
  assert.notEqual(await looks(unblock), "default");
});

test("all is not done while the PIN is blocked, and a reset that was cut off goes on from the overview", async ({
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "erin");
  await page.goto("/");
  await see(todo(page, "The PIN of “Found” is blocked."));
  await gone(page.getByText(/^All done/));

  const form = page.getByRole("dialog", { name: /^Reset/ });
  const reset = async () => {
    await form.getByLabel(`Enter ${found} to confirm`).fill(found);
    await form.getByRole("button", { name: "Reset this token" }).click();
  };
  // The server's part is done, and the card knows nothing of it.
  await page.route("**/piv/reset", (route) => route.abort());
  await page.goto(`/tokens/${found}`);
  await act(page, "Reset token");
  await reset();
  await see(form.getByText("The agent on this computer is not responding."));
  await page.unroute("**/piv/reset");
  await page.goto("/");
  const task = todo(page, "Your token “Found” is not fully reset: its keys are still on it.");
  await see(task);
  await gone(page.getByText(/Setting up|not fully set up/));
  await task.getByRole("link", { name: "Continue" }).click();
  await see(form.getByLabel(`Enter ${found} to confirm`));
  await form.getByRole("button", { name: "Cancel" }).click();
  await see(page.getByText("Its certificates are revoked, but its keys are still on it."));
  await page.getByRole("button", { name: "Continue reset" }).click();
  await reset();
  await see(form.getByText("The token is empty."));
  await form.getByRole("button", { name: "Close" }).last().click();
  await page.goto("/");
  await see(todo(page, "Your token “Found” is not set up yet."));
  await gone(page.getByText(/not fully reset/));
});

test("a token that was lost is suspended before it is in use again, and the page says so", async ({
  world,
  visitor,
  page,
}) => {
  const status = page.getByRole("button", { name: "Change status" });
  const pick = async (name) => {
    await status.click();
    await page.getByRole("menuitem", { name }).click();
  };
  await visitor.signIn("mia", `/tokens/${gap}`);
  await pick("Report lost");
  await see(page.getByRole("dialog", { name: new RegExp(`^Report token ${gap} \\(Gap, .+\\) as lost\\?$`) }));
  await see(dialog(page).getByText("If the token turns up, suspend it, then reactivate it"));
  await dialog(page).getByRole("button", { name: "Report lost" }).click();
  await see(page.getByText(`Token ${gap} is now reported lost.`));
  await see(page.getByText("it is first suspended, then reactivated"));
  await status.click();
  await see(page.getByRole("menuitem", { name: "Suspend" }));
  await gone(page.getByRole("menuitem", { name: "Reactivate" }));
  await page.getByRole("menuitem", { name: "Suspend" }).click();
  await dialog(page).getByRole("button", { name: "Suspend" }).click();
  await see(page.getByText("Suspended: it can't get new certificates"));
  await status.click();
  await see(page.getByRole("menuitem", { name: /^Reactivate$/ }));
  await gone(page.getByRole("menuitem", { name: "not set up" })); // it is set up
  await page.getByRole("menuitem", { name: /^Reactivate$/ }).click();
  await dialog(page).getByRole("button", { name: "Reactivate" }).click();
  await eventually("it is active", async () => (await world.admin.get(`/api/hwkey/${gap}`)).status === "active");
});

test("a token that has factory secrets again is not in order", async ({ world, visitor, page }) => {
  await world.factoryReset(gap);
  await visitor.signIn("carol", "/");
  const task = todo(page, "“Gap” still has the values it came with, which anyone can look up.");
  await see(task);
  await gone(page.getByText(/^All done/));
  await task.getByRole("link", { name: "Set it up" }).click();
  await see(dialog(page).getByLabel("Your PIN"));
  await dialog(page).getByRole("button", { name: "Cancel" }).click();
  await see(page.getByText("It has the values it came with again, which anyone can look up. Set it up again."));
});

test("a new token's history begins with its registration, for whoever may see it", async ({ world, open }) => {
  await world.token(fresh, { owner: "carol", label: "Fresh" });
  for (const name of ["carol", "mia", "admin"]) {
    const { page, signIn } = await open().then((v) => ({ page: v.page, signIn: v.signIn.bind(v) }));
    await signIn(name, `/tokens/${fresh}`);
    const history = page.getByRole("table", { name: "History" });
    await see(history.getByText("Registered"));
    await see(history.getByRole("cell", { name: "admin", exact: true }));
    await gone(page.getByText(/Nothing has happened|No activity/));
    await page.context().close();
  }
});

/** german signs somebody in who gets everything in German. */
async function german(world, open, name, path) {
  await (await world.api(name)).put("/api/auth/notifications", { language: "de" });
  const { page } = await open({ locale: "de-DE" });
  await page.goto(path);
  await page.getByLabel("Benutzername oder E-Mail").fill(name);
  await page.getByLabel("Passwort", { exact: true }).fill(world.people[name].password);
  await page.getByRole("button", { name: "Anmelden", exact: true }).click();
  return page;
}

test("the language that somebody chose is theirs in another browser, too, unless another one was chosen there", async ({
  open,
}) => {
  const first = await open();
  await first.signIn("dave", "/profile");
  await first.page.getByText("Deutsch", { exact: true }).first().click();
  await see(first.page.getByRole("heading", { level: 1, name: "Profil und Sitzungen" }));
  const second = await open();
  await second.signIn("dave", "/");
  await see(second.page.getByRole("heading", { level: 1, name: "Übersicht" }));
  const third = await open();
  await third.page.goto("/login");
  await third.page.evaluate(() => localStorage.setItem("keyward-language", "en"));
  await third.signIn("dave", "/");
  await see(third.page.getByRole("heading", { level: 1, name: "Overview" }));
});

test("in German, a notice and what a form refuses are German, the latter once, by its field", async ({
  world,
  open,
}) => {
  await world.admin.patch(`/api/hwkey/${slots}`, { status: "suspended" });
  const page = await german(world, open, "dave", "/");
  await page.getByRole("button", { name: /^Hinweise: [1-9]/ }).click();
  await see(page.getByText(/hat Ihren Token .* vorübergehend gesperrt\. Bis er wieder freigegeben wird/));
  await gone(page.getByText(/your token|was suspended/i));

  const admins = await german(world, open, "admin", "/admin/webhooks");
  await admins.getByRole("button", { name: "Webhook anlegen" }).first().click();
  const form = dialog(admins);
  const answer = admins.waitForResponse((r) => r.request().method() === "POST" && r.url().endsWith("/admin/webhooks"));
  await form.getByLabel("Adresse des Empfängers").fill("http://siem.acme.example/hook");
  await form.getByRole("button", { name: "Webhook anlegen" }).click();
  assert.equal((await (await answer).json()).errors[0].code, "no_https");
  await see(form.getByText("Beginnen Sie mit https://.", { exact: true }));
  assert.equal(await form.getByText("https://", { exact: false }).count(), 1, "it is said once");
  assert.equal(await form.getByRole("alert").count(), 0, "it stands below the field, and nowhere else");
  await gone(form.getByText(/must begin/));
});

test("what is refused of a field that is not on the screen is said once, above the form, with its label", async ({
  world,
  visitor,
  page,
  open,
}) => {
  // The form shows the directory's fields; what the server sees, and refuses, are a bucket's.
  const bad = { store: "s3", bucket: "a/b", region: "x", access_key_id: "x", secret_access_key: "x" };
  const swap = (route) =>
    route.request().method() === "PUT"
      ? route.continue({ postData: { ...route.request().postDataJSON(), ...bad } })
      : route.continue();
  const path = "/system/backups?tab=settings";
  await world.admin.put("/api/auth/notifications", { language: "en" });
  await visitor.signIn("admin", path);
  await see(page.getByText("Days to keep backups"));
  for (const [on, days, save, said] of [
    [page, "Days to keep backups", "Save", "Bucket: Enter only the bucket's name, without a path or an address."],
    [
      await german(world, open, "admin", path),
      "Aufbewahrung in Tagen",
      "Speichern",
      "Bucket: Geben Sie nur den Namen des Buckets ein, ohne Pfad und Adresse.",
    ],
  ]) {
    await on.route("**/api/backup/settings", swap);
    const answer = on.waitForResponse((r) => r.request().method() === "PUT");
    const field = on.getByLabel(days);
    await field.fill("31");
    await on.getByRole("button", { name: save, exact: true }).click();
    assert.deepEqual(
      (await (await answer).json()).errors.map((e) => [e.field, e.code]),
      [["bucket", "bad_bucket"]],
    );
    const alert = on.getByRole("alert").filter({ hasText: "Bucket" });
    await see(alert.getByText(said, { exact: true }));
    assert.equal(await on.getByText(said, { exact: false }).count(), 1, "it is said once");
    assert.equal(await on.locator("[aria-invalid=true]").count(), 0, "no field that is seen is wrong");
    const [above, below] = [await alert.boundingBox(), await field.boundingBox()];
    assert.ok(above.y + above.height <= below.y, "it stands above the form's fields");
  }
});
