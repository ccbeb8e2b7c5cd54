// Whole flows by keyboard alone: Tab, Enter, Space, arrows, Escape and typing. After each of them the focus is where
// a person goes on.
import assert from "node:assert/strict";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { card, dialog, hold } from "./harness/flows.mjs";
import { focused, hasFocus, press, signInByKeys, tabTo, typeInto } from "./harness/keys.mjs";
import { gone, see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const [fresh, ready] = ["20260031", "20260032"];

const { test } = suite({ tokens: [fresh, ready], agent: true }, async (world) => {
  await world.token(fresh, { owner: "carol", label: "Fresh" });
  await world.token(ready, { owner: "dave", label: "Ready" });
  await world.command("enroll", ready, "dave");
});

/** arrive types an address and signs in. */
async function arrive(page, world, username, path) {
  await page.goto(path);
  await signInByKeys(page, username, world.people[username].password);
  await page.locator("#content").waitFor();
}

const pin = (form, label = "Your PIN") => form.getByLabel(label, { exact: true });
const again = (form) => form.getByLabel("Repeat PIN");

test("a blank token is set up, from the sign-in to the end", async ({ world, page }) => {
  await arrive(page, world, "carol", "/");
  await press(page, page.getByRole("link", { name: "My tokens" }));
  await see(page.getByText("Agent connected"));
  const begin = card(page, "Fresh").getByRole("button", { name: "Set up" });
  await press(page, begin);
  const form = dialog(page);
  await hasFocus(page, pin(form), "the dialog has opened");
  await page.keyboard.type("123456");
  await page.keyboard.press("Enter");
  await see(form.getByText("too easy to guess"));
  await accessiblePart(page, "set up: a PIN that is too easy");
  await tabTo(page, pin(form), { back: true });
  await page.keyboard.press("Control+A");
  await page.keyboard.type("739184");
  await typeInto(page, again(form), "739184");
  const held = await hold(page, "**/piv/set-puk");
  await press(page, form.getByRole("button", { name: "Set up" }), "Space");
  await held.reached;
  assert.ok(await form.evaluate((d) => d.contains(document.activeElement)), `the focus is at ${await focused(page)}`);
  await accessiblePart(page, "set up: running");
  await tabTo(page, form.getByRole("button", { name: "Stop" }), { limit: 5 });
  held.release();
  await form.getByText("The token is ready.").waitFor();
  await hasFocus(page, form.getByRole("button", { name: "Done" }), "the flow has succeeded");
  await accessiblePart(page, "set up: succeeded");
  await page.keyboard.press("Enter");
  await gone(form);
  // The button that began it offers the next thing to do.
  await hasFocus(page, card(page, "Fresh").getByRole("button", { name: "Change PIN" }), "the dialog has closed");
});

test("a key is reported as compromised after its certificate has ended", async ({ world, page }) => {
  await world.command("renew", ready, "dave");
  const of = (status) => world.admin.get(`/api/certificates?hwkey_serial=${ready}&status=${status}`);
  const [former] = (await of("revoked")).items;
  assert.equal(former.revocation_reason, "superseded");
  await arrive(page, world, "dave", `/certificates/${former.serial_number}`);
  const open = page.getByRole("button", { name: "Report key compromise…" });
  await press(page, open);
  const form = dialog(page);
  await hasFocus(page, form.getByRole("button", { name: "Cancel" }), "what cannot be taken back is not at hand");
  await see(form.getByText("can never get a certificate again"));
  await accessiblePart(page, "report a key as compromised");
  await press(page, form.getByRole("button", { name: "Report" }));
  await gone(form);
  await see(page.getByText("Key compromised"));
  await gone(open);
  await hasFocus(page, page.locator("#content"), "the key is reported");
  const { revocation_reason, revoked_at } = await world.admin.get(`/api/certificates/${former.serial_number}`);
  assert.deepEqual([revocation_reason, revoked_at], ["keyCompromise", former.revoked_at]);
  assert.equal((await of("issued")).items.length, 1, "the new key has nothing to do with it");
});

test("a certificate is revoked, with a reason", async ({ world, page }) => {
  const { items } = await world.admin.get(`/api/certificates?hwkey_serial=${ready}&status=issued`);
  await arrive(page, world, "mia", `/certificates?q=${items[0].serial_number}`);
  await press(page, page.getByRole("main").getByRole("link", { name: items[0].common_name }));
  await page.waitForURL(`/certificates/${items[0].serial_number}`);
  const open = page.getByRole("button", { name: "Revoke…" });
  await press(page, open);
  const form = dialog(page);
  await hasFocus(page, form.getByRole("button", { name: "Cancel" }), "what cannot be taken back is not at hand");
  await page.keyboard.press("Enter");
  await gone(form);
  await hasFocus(page, open, "the dialog was cancelled");
  await page.keyboard.press("Enter");
  await tabTo(page, form.getByRole("combobox", { name: "Reason" }), { back: true });
  await page.keyboard.press("ArrowDown");
  const exposed = page.getByRole("option", { name: "Key compromised (keyCompromise)" });
  await see(exposed);
  await accessible(page, "revoke: choosing a reason");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await gone(exposed);
  await see(form.getByText("report it lost on its page instead"));
  await accessiblePart(page, "revoke: the reason is chosen");
  await press(page, form.getByRole("button", { name: "Revoke" }));
  await gone(form);
  await see(page.getByText("This certificate is revoked"));
  await gone(open);
  await gone(page.getByRole("button", { name: "Report key compromise…" })); // that has just been said
  // The button is gone with what it was for; its place on the page is not.
  await hasFocus(page, page.locator("#content"), "the certificate is revoked");
  const { status, revocation_reason } = await world.admin.get(`/api/certificates/${items[0].serial_number}`);
  assert.deepEqual([status, revocation_reason], ["revoked", "keyCompromise"]);
});

test("a file of tokens is tried, looked at and imported", async ({ world, page }) => {
  await arrive(page, world, "mia", "/admin/tokens");
  await settled(page);
  await press(page, page.getByRole("link", { name: "Import CSV" }));
  await page.waitForURL("/admin/tokens/import");
  const csv = "serial,label,owner\n30260101,One,carol\n30260102,Two,nobody-here\n";
  const asked = page.waitForEvent("filechooser");
  await press(page, page.getByRole("button", { name: "Choose a file" }));
  // The system draws this dialog, and answers the keyboard in it.
  await (await asked).setFiles({ name: "tokens.csv", mimeType: "text/csv", buffer: Buffer.from(csv) });
  const outcome = page.getByRole("heading", { level: 2, name: "Preview" });
  await hasFocus(page, outcome, "the file was checked");
  await see(page.getByRole("cell", { name: "30260102" }));
  await accessible(page, "import: what it would do");
  await press(page, page.getByRole("button", { name: /All$/ }), "Space");
  await see(page.getByRole("cell", { name: "30260101" }));
  await press(page, page.getByRole("button", { name: "Import 1 token" }));
  await hasFocus(page, page.getByRole("heading", { level: 2, name: "Result" }), "the file was imported");
  assert.equal((await world.admin.get("/api/hwkey/30260101")).label, "One");
});
