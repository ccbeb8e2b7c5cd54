// What administrators do that has no file of its own.
import assert from "node:assert/strict";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";
import { fillIn } from "./harness/visitor.mjs";

const serial = "30260021";
const [leavers, last] = ["30260022", "30260023"];

const { test } = suite({ tokens: [serial, leavers, last], agent: true, license: true }, async (world) => {
  await world.token(serial, { owner: "dave" });
  await world.command("enroll", serial, "dave");
  await world.person("leo");
  await world.token(leavers, { owner: "leo", label: "Leo's key" });
  await world.command("enroll", leavers, "leo");
  await world.person("lea");
  await world.token(last, { owner: "lea" });
  await world.command("enroll", last, "lea");
});

/** editing opens the form with a person's details. */
async function editing(page, name) {
  await page.getByRole("main").getByRole("button", { name: "Edit" }).click();
  return page.getByRole("dialog", { name: `Edit ${name}` });
}

test("somebody who leaves: the account, the tokens and the certificates end in one step", async ({
  world,
  visitor,
  page,
}) => {
  await visitor.signIn("mia", `/admin/people/${world.people.lea.id}`);
  await page.getByRole("main").getByRole("button", { name: "Disable" }).click();
  const dialog = page.getByRole("dialog", { name: "Disable lea?" });
  assert.ok(await dialog.getByRole("checkbox", { name: "Suspend their token" }).isChecked());
  await dialog.getByRole("checkbox", { name: "Revoke their certificate" }).check();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await see(page.getByText("lea is disabled, 1 token suspended, 1 certificate revoked"));
  assert.equal((await world.admin.get(`/api/admin/users/${world.people.lea.id}`)).is_active, false);
  const { status, certificates } = await world.admin.get(`/api/hwkey/${last}`);
  assert.deepEqual([status, certificates], ["suspended", []]);

  // The token is returned: one step, and it can be given to the next person.
  const next = page.getByRole("region", { name: "What to do next" });
  await see(next.getByText(`lea can't sign in, and still has token ${last}.`));
  await next.getByRole("link", { name: "Take back" }).click();
  const back = page.getByRole("dialog", { name: `Take back token ${last}` });
  assert.equal(await back.getByLabel("Reason").inputValue(), "Returned");
  await accessiblePart(page, "a token that is taken back");
  await back.getByLabel(`Enter ${last} to confirm`).fill(last);
  await back.getByRole("button", { name: "Take back this token" }).click();
  await see(back.getByText("The token is empty and in stock."));
  await back.getByRole("button", { name: "Done" }).click();
  const device = await world.admin.get(`/api/hwkey/${last}`);
  assert.deepEqual([device.status, device.owner, device.enrolled_at], ["in_stock", null, null]);
  assert.equal(await world.takesPIN(last, "123456"), true, "the card has factory values again");
  // There is nothing more to take back; whose it is next is asked at the desk.
  await page.keyboard.press("Control+k");
  await page.keyboard.type("take back");
  await page.keyboard.press("Enter");
  await see(page.getByText("“Take back token” isn't possible with this token now."));
  await page.getByRole("link", { name: "Assign at the desk" }).click();
  await see(page.getByText(`Whose is ${last}?`));
  await page.goto(`/admin/audit?target=${last}`);
  await see(page.getByText("Token taken back"));
  await see(page.getByText("Token status: Active → Suspended"));
});

test("somebody who leaves: what ends is shown, and what was left can end later", async ({ world, visitor, page }) => {
  const path = `/api/admin/users/${world.people.leo.id}`;
  await world.api("leo"); // a session
  await visitor.signIn("mia", `/admin/people/${world.people.leo.id}`);
  const main = page.getByRole("main");
  await main.getByRole("button", { name: "Disable" }).click();
  const dialog = page.getByRole("dialog", { name: "Disable leo?" });
  await see(dialog.getByText("1 session ends at once."));
  await see(dialog.getByText(`${leavers} · Leo's key`));
  await see(dialog.getByText(`Authentication, ${leavers} · expires`));
  const revoke = dialog.getByRole("checkbox", { name: "Revoke their certificate" });
  assert.ok(!(await revoke.isChecked()), "what can't be undone is chosen, not taken back");
  await accessiblePart(page, "what a leaver loses");
  await dialog.getByRole("checkbox", { name: "Suspend their token" }).uncheck();
  await dialog.getByRole("button", { name: "Disable" }).click();
  await gone(dialog);
  assert.equal((await world.admin.get(`/api/hwkey/${leavers}`)).status, "active");

  // The rest, later.
  const next = page.getByRole("region", { name: "What to do next" });
  await see(next.getByText("it still has 1 token in use and 1 valid certificate."));
  await next.getByRole("button", { name: "Suspend or revoke" }).click();
  const later = page.getByRole("dialog", { name: "Suspend tokens or revoke certificates of leo?" });
  await later.getByRole("checkbox", { name: "Revoke their certificate" }).check();
  await later.getByRole("button", { name: "Suspend and revoke" }).click();
  await see(page.getByText("leo is disabled, 1 token suspended, 1 certificate revoked"));
  await gone(later);
  assert.equal((await world.admin.get(`/api/hwkey/${leavers}`)).status, "suspended");
  const [certificate] = (await world.admin.get(`/api/certificates?hwkey_serial=${leavers}`)).items;
  assert.equal(certificate.revocation_reason, "affiliationChanged");
  assert.equal((await world.admin.get(path)).is_active, false);
  await see(next.getByText(`leo can't sign in, and still has token ${leavers}.`));
});

test("another email asks what becomes of the certificate that carries the former one", async ({
  world,
  visitor,
  page,
}) => {
  const path = `/api/admin/users/${world.people.dave.id}`;
  const before = await world.admin.get(path);
  const email = before.email.replace("@", ".new@");
  await visitor.signIn("mia", `/admin/people/${world.people.dave.id}`);
  visitor.allow(/409/); // the question
  const form = await editing(page, "dave");
  const question = page.getByRole("dialog", { name: "What about the certificates?" });
  await form.getByLabel("Email").fill(email);
  await form.getByRole("button", { name: "Save" }).click();
  await see(question.getByText("One valid certificate has the person's current name."));
  await accessiblePart(page, "the question about certificates");
  assert.ok(await question.getByRole("button", { name: "Change name" }).isDisabled(), "neither answer is a default");
  await page.keyboard.press("Escape");
  await gone(question);
  assert.equal((await world.admin.get(path)).email, before.email);

  await form.getByRole("button", { name: "Save" }).click();
  await question.getByRole("radio", { name: "Revoke" }).check();
  await question.getByRole("button", { name: "Change name" }).click();
  await gone(question);
  await eventually("the email is another", async () => (await world.admin.get(path)).email === email);
  const [certificate] = (await world.admin.get(`/api/certificates?hwkey_serial=${serial}`)).items;
  assert.equal(certificate.revocation_reason, "affiliationChanged");
});

test("UPNs by the organization's suffixes, the rest by global administrators", async ({ world, visitor, page }) => {
  const person = `/api/admin/users/${world.people.dave.id}`;
  await visitor.signIn("admin", "/admin/organizations");
  await page.getByRole("button", { name: "Add organization" }).click();
  const dialog = page.getByRole("dialog", { name: "Add organization" });
  await dialog.getByLabel("Name").fill("Directory");
  await dialog.getByLabel("UPN suffixes").fill("Corp.example");
  await dialog.getByLabel("Kerberos realm").fill("Corp.EXAMPLE");
  await accessiblePart(page, "an organization's names");
  await dialog.getByRole("button", { name: "Create" }).click();
  await gone(dialog);
  const { items } = await world.admin.get("/api/admin/organizations?q=directory");
  assert.deepEqual([items[0]?.upn_suffixes, items[0]?.kerberos_realm], [["corp.example"], "Corp.EXAMPLE"]);

  await page.goto(`/admin/people/${world.people.dave.id}`);
  const form = await editing(page, "dave");
  await form.getByLabel("SID").fill("S-1-5-21-1-2-3-1104");
  await form.getByLabel("UPN").fill("dave at corp");
  visitor.allow(/400/); // a UPN that is none
  await form.getByRole("button", { name: "Save" }).click();
  await see(form.getByText("Enter a name such as name@example.org"));
  await form.getByLabel("UPN").fill("dave@corp.example");
  await form.getByRole("button", { name: "Save" }).click();
  await eventually("both are there", async () => {
    const { upn, sid } = await world.admin.get(person);
    return upn === "dave@corp.example" && sid === "S-1-5-21-1-2-3-1104";
  });

  await visitor.signIn("mia", `/admin/people/${world.people.dave.id}`);
  await editing(page, "dave");
  assert.ok(await form.getByLabel("SID").isDisabled(), "a manager can change a SID");
  await form.getByLabel("UPN").fill("root@corp.example");
  visitor.allow(/403/); // no suffix of the manager's organization
  await form.getByRole("button", { name: "Save" }).click();
  await see(form.getByText("This doesn't end in one of the organization's UPN suffixes."));
  assert.equal((await world.admin.get(person)).upn, "dave@corp.example");
});

test("people are imported: errors first, then all of them, with their links", async ({ world, visitor, page }) => {
  await visitor.signIn("mia", "/admin/people");
  await page.getByRole("link", { name: "Import" }).click();
  const main = page.getByRole("main");
  const choose = (text) =>
    main
      .locator('input[type="file"]')
      .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer: Buffer.from(`\uFEFF${text}`) });
  await main
    .locator('input[type="file"]')
    .setInputFiles({ name: "everyone.csv", mimeType: "text/csv", buffer: Buffer.alloc(9_000_000, "a") });
  await see(main.getByText("This file is 9 MB. The limit is 8 MiB"));
  await choose("email;name\r\nnobody;Nobody\r\njoerg@acme.example;Jörg Bauer\r\n");
  await see(main.getByText("1 line has errors:"));
  assert.equal(await main.getByText("The limit is 8 MiB:").count(), 0);
  assert.ok(await main.getByRole("button", { name: "Add 1 person" }).isDisabled(), "somebody would be added");
  await accessiblePart(page, "an import of people", "main");
  await main.getByRole("checkbox", { name: "Skip the line with errors" }).check();
  assert.ok(await main.getByRole("button", { name: "Add 1 person" }).isEnabled(), "the good line can't be added");
  await choose("email;name\r\nzoe@acme.example;Zoë Adams\r\njoerg@acme.example;Jörg Bauer\r\n");
  await main.getByRole("button", { name: "Add 2 people" }).click();
  await see(main.getByText("Some invitations aren't sent by email."));
  const saved = page.waitForEvent("download");
  await main.getByRole("button", { name: "Save links" }).click();
  assert.equal((await saved).suggestedFilename(), "invitations.csv");
  await see(main.getByText("Zoë Adams"));
  const { items } = await world.admin.get("/api/admin/users?q=adams");
  assert.deepEqual([items.length, items[0]?.waiting, items[0]?.organization_name], [1, true, "Acme"]);
});

test("the first steps: done by what the server has, led to, put away and brought back", async ({ visitor, page }) => {
  const steps = { tls: false, organization: true, people: true, token: false, mail: false, backup: false };
  await visitor.signIn("admin");
  const list = page.locator("section", { has: page.getByRole("heading", { name: "First steps" }) });
  await see(list.getByText("3 of 6 done"));
  await see(list.getByText("Register the first token. Done"));
  await page.route("**/api/admin/system/first-steps", (route) => route.fulfill({ json: steps }));
  await page.reload();
  await see(list.getByText("3 tokens are plugged in now"));
  await accessiblePart(page, "the first steps", "main");
  await list.getByRole("link", { name: "Register token" }).click();
  await see(page.getByRole("dialog", { name: "Register token" }));
  await page.keyboard.press("Escape");
  await gone(page.getByRole("dialog"));
  await page.goto("/");
  await list.getByRole("button", { name: "Hide" }).click();
  await gone(list);
  await page.reload();
  await page.getByRole("button", { name: "Show first steps" }).click();
  await see(list);
  for (const step of Object.keys(steps)) steps[step] = true;
  await page.reload();
  await see(page.getByRole("heading", { name: "What needs doing" }));
  await gone(list);
});

test("settings say what is not saved, and below a field what is wrong with it", async ({ visitor, page }) => {
  const main = page.getByRole("main");
  const unsaved = main.getByText("You have unsaved changes.");
  const save = main.getByRole("button", { name: "Save", exact: true });
  const saved = page.getByText("Settings saved.");
  const value = (label, expected) =>
    eventually(`${label}: ${expected}`, async () => (await main.getByLabel(label).inputValue()) === expected);
  await visitor.signIn("admin", "/system/settings");
  await main.getByLabel("Minimum length").fill("12");
  await see(main.getByText("A password has 12 to 128 characters."));
  await main.getByRole("button", { name: "Discard" }).click();
  await gone(unsaved);
  await value("Minimum length", "8");
  await main.getByLabel("Minimum length").fill("9");
  await main.getByRole("checkbox", { name: "A digit" }).check();
  await save.click();
  await see(saved);
  await gone(unsaved);
  await page.reload();
  await value("Minimum length", "9");
  assert.ok(await main.getByRole("checkbox", { name: "A digit" }).isChecked());

  visitor.allow(/422/); // the refusals
  await main.getByRole("tab", { name: "Single sign-on" }).click();
  await main.getByRole("switch", { name: "Single sign-on is on" }).check();
  await main.getByLabel("Client ID").fill("keyward");
  await main.getByLabel("Issuer").fill("ftp://sso.example.org");
  await main.getByRole("button", { name: "Add a value" }).first().click();
  await see(main.getByText("Fill in both fields of every row."));
  assert.ok(await save.isDisabled());
  await main.getByRole("button", { name: "Remove this row" }).click();
  await save.click();
  await main.locator('input[type="url"][aria-invalid="true"]:focus').waitFor();
  await main.getByRole("button", { name: "Discard" }).click();
  await gone(unsaved);

  await page.goto("/system/mail?tab=settings");
  await main.getByLabel("Server", { exact: true }).fill("mail.example.org");
  await main.getByText("TLS", { exact: true }).click();
  await value("Port", "465");
  await main.getByRole("button", { name: "Set a password" }).click();
  await main.getByLabel("New password").fill("in the vault");
  await see(main.getByText("A password needs a username."));
  await main.getByLabel("Username").fill("keyward");
  await main.getByLabel("From address").fill("keyward@example.org");
  await save.click();
  await see(main.getByText("A password is stored. It is never shown."));
  await gone(unsaved);
});

const secret = "Backups: long enough, 3rd";

test("backups are set up, made, proven to restore, and restored", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/system/backups");
  const main = page.getByRole("main");
  const dialog = page.getByRole("dialog");
  await main.getByRole("button", { name: "Set up backups" }).click();
  await main.getByLabel("New password", { exact: true }).fill(secret);
  await main.getByLabel("Repeat password").fill("another one");
  await see(main.getByText("The passwords don't match."));
  await accessiblePart(page, "backup settings", "main");
  await main.getByLabel("Repeat password").fill(secret);
  await main.getByRole("button", { name: "Save" }).click();
  await see(main.getByText("A password is set. It is never shown."));
  await main.getByRole("button", { name: "Test connection" }).click();
  await see(main.getByText("The store works."));

  await page.getByRole("button", { name: "Back up now" }).click();
  await see(main.getByText("Backup completed and verified"));
  await main.getByRole("button", { name: /^More actions: backup-full-/ }).click();
  await page.getByRole("menuitem", { name: "Try to restore" }).click();
  await dialog.getByRole("button", { name: "Try it" }).click();
  await see(main.getByText("Trial restore passed"));
  await see(main.getByRole("status").getByText(/^backup-full-.*\.enc$/));
  await see(main.getByText(/^Restored the full backup of .*: [\d,]+ records and [\d,]+ vault entries\./));
  await accessiblePart(page, "a list of backups", "main");

  // What was made since stays, but nobody stays signed in.
  await world.person("yara");
  await main.getByRole("button", { name: "Restore…" }).click();
  const ahead = async () => {
    await see(dialog.getByText(/^backup-full-.*\.enc/));
    await see(dialog.getByText("Everyone is signed out, including you, and all API keys are revoked."));
    await dialog.getByRole("button", { name: "Continue" }).click();
    await see(dialog.getByText(/^backup-full-.*\.enc/));
  };
  await ahead();
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await gone(dialog);
  await main.getByRole("button", { name: "Restore…" }).click();
  await ahead();
  await dialog.getByLabel("Encryption password").fill("not that one");
  await dialog.getByRole("button", { name: "Check password" }).click();
  await see(dialog.getByText("This password does not open the backup."));
  await dialog.getByLabel("Encryption password").fill(secret);
  await dialog.getByRole("button", { name: "Check password" }).click();
  await see(dialog.getByText("The password opens the backup."));
  await accessiblePart(page, "what a restore does");
  assert.ok(await dialog.getByRole("button", { name: "Restore now" }).isDisabled(), "the word is not typed yet");
  await dialog.getByLabel("Enter RESTORE to confirm").fill("RESTORE");
  await dialog.getByRole("button", { name: "Restore now" }).click();
  await page.waitForURL("/restoring");
  await see(page.getByText("Everyone is signed out, including you."));
  await accessible(page, "the end of a restore");
  await page.getByRole("link", { name: "Sign in" }).click();
  await fillIn(page, "admin", world.people.admin.password);
  await page.waitForURL("/system/backups");
  await main.getByRole("tab", { name: "History" }).click();
  await see(main.getByRole("cell", { name: /^Restore/ }));
  await world.api("yara");

  // What a job says, it says in the person's language.
  await page.evaluate(() => localStorage.setItem("keyward-language", "de"));
  await page.reload();
  await main.getByRole("tab", { name: "Verlauf" }).click();
  await main.getByRole("button", { name: /^Details zu Wiederherstellung/ }).click();
  await see(page.getByText(/^Vollständige Sicherung vom .* wiederhergestellt: .* Datensätze und .* des Tresors\./));
});

test("a license is uploaded: what is none is refused", async ({ world, visitor, page }) => {
  const main = page.getByRole("main");
  const heading = (name) => see(main.getByRole("heading", { name, exact: true }));
  await visitor.signIn("admin", "/system/license");
  await heading("Trial");
  const content = main.getByLabel("Content of the license file");
  const upload = main.getByRole("button", { name: "Upload", exact: true });
  visitor.allow(/422/); // the refusal
  await content.fill('{"license":"none"}');
  await upload.click();
  await see(main.getByRole("alert").getByText("This is not a license file, or it was damaged."));
  await content.fill(await world.licenseFile(0, 365));
  await upload.click();
  await heading("Licensed");
  await see(main.getByRole("table", { name: "History" }).getByText(/^Example Ltd, enterprise, valid until /));
});
