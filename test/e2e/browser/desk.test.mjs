import assert from "node:assert/strict";
import { choosePin, dialog, hold, signInToTokens } from "./harness/flows.mjs";
import { hasFocus } from "./harness/keys.mjs";
import { gone, see, suite } from "./harness/suite.mjs";

const serials = ["20260001", "20260002", "20260003", "20260004"];
const [stolen, successor, fresh, given] = serials;
const [broken, spare] = ["30260001", "30260002"];

const { test } = suite({ tokens: serials, agent: true }, async (world) => {
  await world.token(stolen, { owner: "erin", label: "Erin's key" });
  await world.token(successor);
  await world.token(broken, { owner: "dave" });
  await world.token(spare);
  await world.token(given, { owner: "carol" });
  await world.command("enroll", stolen, "erin");
});

test("a stolen token's successor is given in one flow, which a reload does not begin anew", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "mia");
  await page.goto(`/tokens/${stolen}`);
  await page.getByRole("link", { name: "Replace…" }).click();
  assert.equal(await page.getByRole("button", { name: "Replace", exact: true }).isDisabled(), true);
  await see(page.getByText("First say what happened."));
  await page.getByRole("radio", { name: "Stolen" }).click();
  await see(page.getByText("Its valid certificate will be revoked."));
  const field = page.getByRole("combobox", { name: "New token" });
  await field.fill(broken);
  await see(page.getByText("Belongs to dave."));
  const submit = page.getByRole("button", { name: "Report lost and assign new one" });
  assert.equal(await submit.isDisabled(), true);
  await field.fill("");
  await see(page.getByRole("button", { name: "Report lost only" }));
  // Whichever is plugged in is taken, beside others that are.
  await world.unplug(successor);
  await gone(page.getByRole("button", { name: successor }));
  await world.plug(successor);
  await see(page.getByText("In stock. YubiKey 5 NFC"));
  assert.equal(await field.inputValue(), successor);
  await field.fill("");
  await page.keyboard.type(successor, { delay: 300 }); // as a person does, who ends the search's pause
  await page.keyboard.press("Enter"); // as a scanner does
  await see(page.getByText("In stock. YubiKey 5 NFC"));
  assert.equal((await world.admin.get(`/api/hwkey/${stolen}`)).status, "active");
  const denied = await world.admin.get("/api/admin/audit?outcome=denied");
  // Tokens that are plugged in and not on record are asked for by name: they are others.
  const begun = denied.items.map((e) => e.target_id).filter((id) => id !== successor && successor.startsWith(id));
  assert.deepEqual(begun, [], "a serial number that is being typed is no attempt to reach each of its beginnings");
  await page.getByLabel("Note for the audit log").fill("ticket 4711");
  await submit.click();
  await see(dialog(page).getByRole("heading", { name: `Set up token ${successor}` }));
  const { items } = await world.admin.get(`/api/hwkey/${stolen}/certificates`);
  assert.deepEqual(
    items.map((c) => c.revocation_reason),
    ["keyCompromise"],
  );
  const [changed] = await world.admin.actions("hwkey.status_changed");
  assert.equal(changed.reason, `Stolen. Replaced by ${successor}. ticket 4711`);

  await page.reload();
  await see(page.getByText(`Token ${stolen} is reported lost, and its certificates are revoked.`));
  await see(page.getByText(`Token ${successor} is assigned to erin.`));
  await page.getByRole("button", { name: "Set up now" }).click();
  const form = dialog(page);
  assert.equal(await form.getByLabel("Reason").inputValue(), `Replaces ${stolen}`);
  await form.getByRole("button", { name: "Set up" }).click();
  await see(form.getByText("erin's token is set up."));
  await see(form.getByText("erin chooses the PIN under My tokens"));
  await see(form.getByRole("button", { name: "Print hand-over note" }));
  await form.getByRole("button", { name: "Done" }).click();
  await gone(form);
  await see(page.getByText("erin has a new token"));
  assert.equal((await world.admin.get(`/api/hwkey/${successor}`)).status, "active");
});

test("a broken token is retired at once, and its successor chosen later, wherever that is gone on with", async ({
  world,
  visitor,
  page,
}) => {
  await visitor.signIn("mia", `/tokens/${broken}/replace`);
  await page.getByRole("radio", { name: "Broken" }).click();
  await page.getByRole("button", { name: "Retire only" }).click();
  await see(page.getByText(`Token ${broken} is retired, and its certificates are revoked.`));
  const assign = page.getByRole("button", { name: "Assign new one" });
  assert.equal(await assign.isDisabled(), true);
  await page.getByRole("combobox", { name: "New token" }).fill(spare);
  await assign.click();
  await see(page.getByText(`Token ${spare} is assigned to dave.`));
  // No address tells it: the tokens do.
  await page.goto(`/tokens/${broken}/replace`);
  await see(page.getByText(`Token ${spare} is assigned to dave.`));
  await see(page.getByText("can set it up under My tokens"));
  assert.equal((await world.admin.get(`/api/hwkey/${broken}`)).status, "retired");
});

/** line is a token's in the queue of the desk. */
function line(page, serial) {
  return page.getByRole("table", { name: "Tokens in the queue" }).getByRole("row", { name: serial });
}

test("at the desk a token is plugged in, named and set up with one Enter, and the next one can come", async ({
  world,
  visitor,
  page,
}) => {
  await visitor.signIn("mia", "/admin/desk");
  const field = page.getByRole("textbox", { name: "Name or serial number" });
  const says = (serial, text) => see(line(page, serial).getByText(text, { exact: true }).filter({ visible: true }));
  await says(fresh, "Waiting for a name");
  await says(given, "Ready");
  await see(page.getByText(`Whose is ${fresh}?`));
  await hasFocus(page, field, "the desk's field");
  await page.keyboard.type("e");
  await page.keyboard.press("Enter");
  await see(page.getByText("people match. Choose one."));
  await field.fill("");
  await page.keyboard.type("erin@acme.example");
  await page.keyboard.press("Enter"); // no sooner than a scanner does
  await says(fresh, "The PIN is chosen on first use.");
  await gone(dialog(page));
  await hasFocus(page, field, "after a set-up");
  const device = await world.admin.get(`/api/hwkey/${fresh}`);
  assert.deepEqual([device.status, device.owner.username, device.certificates.length], ["active", "erin", 1]);
  await see(page.getByRole("table", { name: "Tokens that you set up today" }).getByText(fresh));

  // A set-up that is cut off goes on after a reload, from what the server and the token have.
  const cut = await hold(page, "**/sign-csr");
  await page.keyboard.press("Enter");
  await cut.reached;
  await says(given, "Being set up");
  await page.reload();
  await says(given, "Ready");
  await says(fresh, "Done");
  cut.release();
  await hasFocus(page, field, "after a reload");
  await page.getByText("Owner enters it here").click();
  await field.press("Enter");
  const form = dialog(page);
  assert.equal(await form.getByLabel("Reason").inputValue(), "Set up at the desk");
  await choosePin(form, "482915", "New PIN");
  await form.getByRole("button", { name: "Set up" }).click();
  await says(given, "The PIN is chosen.");
  await gone(form);
  const kept = await page.evaluate((id) => localStorage.getItem(`keyward-desk-${id}`), world.people.mia.id);
  const entries = JSON.parse(kept);
  assert.deepEqual(
    [...new Set(entries.flatMap(Object.keys))],
    ["serial"],
    "the browser keeps more than serial numbers",
  );
  for (const serial of [fresh, given]) assert.ok(entries.some((e) => e.serial === serial));
});

test("whoever comes to the desk with a blocked PIN is led to its unblocking", async ({ world, visitor, page }) => {
  await world.blockPIN(successor);
  await visitor.signIn("mia", "/admin/desk");
  const line = page.getByText(`The token ${successor} belongs to erin and is set up. Its PIN is blocked.`);
  await line.getByRole("link", { name: "Unblock PIN" }).click();
  await see(page.getByRole("dialog", { name: `Unblock the PIN of token ${successor}` }));
});

test("the desk prints a note for who gets a token, and labels; neither has a secret", async ({ visitor, page }) => {
  await page.addInitScript(() => {
    window.print = () => {
      window.printed = document.querySelector(".only-print").textContent;
    };
  });
  await visitor.signIn("mia", "/admin/desk");
  await page.getByRole("textbox", { name: "Name or serial number" }).fill(fresh);
  await page.keyboard.press("Enter");
  await see(page.getByText(`The token ${fresh} belongs to erin and is set up.`));
  await see(page.locator("form").getByRole("link", { name: "View token" }));
  await see(line(page, fresh).getByText("Already set up").filter({ visible: true }));
  await page.getByRole("button", { name: "Print hand-over notes" }).click();
  const note = await page.waitForFunction(() => window.printed).then((h) => h.jsonValue());
  for (const part of ["Your security token", "erin", fresh, new URL(page.url()).origin, "Choose your PIN"]) {
    assert.ok(note.includes(part), `no ${part} in ${note}`);
  }
  await page.emulateMedia({ media: "print" });
  assert.equal(await page.getByRole("heading", { name: "Desk" }).isVisible(), false);
  await page.emulateMedia({ media: "screen" });
  await page.evaluate(() => {
    window.printed = "";
    dispatchEvent(new Event("afterprint"));
  });
  await page.getByRole("button", { name: "Print labels" }).click();
  const labels = await page.waitForFunction(() => window.printed).then((h) => h.jsonValue());
  assert.equal(labels, `erin${fresh}Acme`);

  // The token's own page has the note, too.
  await page.locator("form").getByRole("link", { name: "View token" }).click();
  await page.evaluate(() => {
    window.printed = "";
    dispatchEvent(new Event("afterprint"));
  });
  await see(page.getByRole("heading", { level: 1, name: fresh }));
  await page.getByRole("button", { name: "Print hand-over note", exact: true }).click();
  assert.equal(await page.waitForFunction(() => window.printed).then((h) => h.jsonValue()), note);
});
