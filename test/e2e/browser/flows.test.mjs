import assert from "node:assert/strict";
import { bodies, card, choosePin, confirm, dialog, question, setUp, signInToTokens } from "./harness/flows.mjs";
import { gone, see, suite } from "./harness/suite.mjs";

const serials = ["20260001", "20260002", "20260003"];
const [fresh, pins, help] = serials;

const { test } = suite({ tokens: serials, agent: true }, async (world) => {
  await world.token(fresh, { owner: "carol", label: "Fresh key" });
  await world.token(pins, { owner: "dave", label: "Dave's key" });
  await world.token(help, { owner: "erin", label: "Erin's key" });
  await world.command("enroll", pins, "dave");
  await world.command("enroll", help, "erin");
});

/** latest gives the record of a token's certificate that is not revoked. There is one. */
async function latest(world, serial) {
  const { items } = await world.admin.get(`/api/certificates?hwkey_serial=${serial}&status=issued`);
  assert.equal(items.length, 1);
  return items[0];
}

/**
 * proved demands that a record tells what the token proved of its key: a virtual one's firmware, and the policies
 * of a YubiKey's slot 9a where no others are asked for.
 */
function proved({ attested, attestation }) {
  assert.equal(attested, true);
  const { firmware_version, pin_policy, touch_policy } = attestation;
  assert.deepEqual([firmware_version, pin_policy, touch_policy], ["5.4.3", "once", "never"]);
}

/** unasked demands that nobody has proved anew who they are. */
function unasked(visitor) {
  assert.ok(!visitor.requests.some((r) => r.url.endsWith("/api/auth/reauthenticate")), "a password was asked for");
}

/** newCertificate begins a renewal in slot 9a, and gives its dialog. */
async function newCertificate(page, label) {
  await card(page, label).getByRole("button", { name: "New certificate" }).click();
  const form = page.getByRole("dialog", { name: /^New certificate/ });
  await form.getByRole("radio", { name: /^9a / }).click();
  await form.getByRole("button", { name: "Get certificate" }).click();
  return form;
}

test("a blank token gets its attested certificate in at most four clicks, and the PIN leaves the page sealed", async ({
  world,
  visitor,
  page,
}) => {
  const sent = await bodies(page);
  let clicks = 0;
  await page.exposeFunction("clicked", () => clicks++);
  await page.addInitScript(() => addEventListener("pointerdown", () => window.clicked(), true));
  await signInToTokens(visitor, "carol");
  const began = performance.now();
  await setUp(page, "Fresh key", "Set up", "482915");
  const seconds = (performance.now() - began) / 1000;
  console.log(`enrolment: ${clicks} clicks with the sign-in, ${seconds.toFixed(1)} s`);
  assert.ok(clicks >= 3 && clicks <= 4, `${clicks} clicks`);
  unasked(visitor);
  const holds = sent.filter((r) => r.body.includes("482915"));
  assert.deepEqual(
    [...new Set(holds.map((r) => r.path))],
    [`/api/hwkey/${fresh}/rotations`],
    "the PIN was sent elsewhere",
  );
  await see(card(page, "Fresh key").getByRole("button", { name: "Change PIN" }));
  const [device] = (await world.admin.get(`/api/hwkey?q=${fresh}`)).items;
  assert.equal(device.status, "active");
  assert.ok(device.enrolled_at);
  assert.equal(device.secrets.rotation_pending, false);
  assert.equal(device.certificates.length, 1);
  assert.ok(device.certificates[0].installed_at);
  const certificate = await latest(world, fresh);
  proved(certificate);
  await page.goto(`/certificates/${certificate.serial_number}`);
  for (const words of [/^Yes: the token proved/, "Once per session", "Not required", "5.4.3"]) {
    await see(page.getByRole("main").getByText(words, { exact: true }));
  }
  // Management key and PIN on the card are the vault's: both are needed for this.
  await world.command("renew", fresh, "carol");
});

test("a PIN is changed, and one that is too easy or mistyped is not taken", async ({ world, visitor, page }) => {
  await signInToTokens(visitor, "dave");
  const button = card(page, "Dave's key").getByRole("button", { name: /^(Change|Choose your) PIN$/ });
  await button.click();
  const form = dialog(page);
  await choosePin(form, "123456");
  await form.getByRole("button", { name: "Change PIN" }).click();
  await see(form.getByText("too easy to guess"));
  await form.getByLabel("Your PIN").fill("739184");
  await form.getByRole("button", { name: "Change PIN" }).click();
  await see(form.getByText("The PINs don't match."));
  await form.getByLabel("Repeat PIN").fill("739184");
  await form.getByRole("button", { name: "Change PIN" }).click();
  await see(form.getByText("The new PIN is set."));
  await form.getByRole("button", { name: "Done" }).click();
  await gone(form);
  await world.command("renew", pins, "dave");
});

test("the help desk unblocks a PIN, with a reason on record", async ({ world, visitor, page }) => {
  await world.blockPIN(help);
  await signInToTokens(visitor, "mia");
  const erins = card(page, "Erin's key");
  await see(erins.getByText("Its PIN is blocked"));
  await erins.getByRole("button", { name: "Unblock PIN" }).click();
  const form = dialog(page);
  await form.getByRole("button", { name: "Unblock PIN" }).click();
  assert.equal(await form.getByLabel("Reason").isVisible(), true, "it began without a reason");
  await form.getByLabel("Reason").fill("at the help desk in person");
  await choosePin(form, "502746", "New PIN");
  await form.getByRole("button", { name: "Unblock PIN" }).click();
  await see(form.getByText("The PIN is unblocked."));
  await form.getByRole("button", { name: "Done" }).click();
  await see(erins.getByRole("button", { name: "Unblock PIN" }));
  const released = (await world.admin.actions("hwkey.secrets_released")).find(
    (e) => e.target_id === help && e.actor === "mia",
  );
  assert.match(released.reason, /at the help desk in person/);
  await world.command("renew", help, "erin");
});

test("a key without attestation is certified for a password, where the proof of who asks is old", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "dave");
  await page.route("**/piv/generate-csr", async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), attestation: [] } });
  });
  await world.stale("dave");
  const before = await latest(world, pins);
  const form = await newCertificate(page, "Dave's key");
  await see(question(page));
  assert.equal((await latest(world, pins)).serial_number, before.serial_number, "it was certified before");
  await confirm(page, world.people.dave.password);
  await see(form.getByText(/The (new )?certificate is on the token/));
  await form.getByRole("button", { name: "Done" }).click();
  const { serial_number, attested, attestation } = await latest(world, pins);
  assert.notEqual(serial_number, before.serial_number);
  assert.deepEqual([attested, attestation], [false, null]);
});

test("a renewal keeps the key that decrypts, and makes a new one elsewhere, unless told otherwise", async ({
  world,
  visitor,
  page,
}) => {
  await world.command("enroll", help, "erin", "--slot", "9d");
  const in9d = async () =>
    (await world.admin.get(`/api/hwkey/${help}/certificates`)).items.filter((c) => c.slot === "9d");
  const [before] = await in9d();
  await signInToTokens(visitor, "erin");
  await card(page, "Erin's key").getByRole("button", { name: "New certificate" }).click();
  const form = dialog(page);
  const keep = form.getByRole("switch", { name: "Keep the current key" });
  await form.getByRole("radio", { name: /^9a / }).click();
  assert.equal(await keep.isChecked(), false);
  await form.getByRole("radio", { name: /^9d / }).click();
  assert.equal(await keep.isChecked(), true);
  await form.getByRole("button", { name: "Get certificate" }).click();
  await see(form.getByText(/The (new )?certificate is on the token/));
  await form.getByRole("button", { name: "Done" }).click();
  const after = await in9d();
  assert.equal(after.length, 2);
  assert.equal(after[0].public_key_sha256, before.public_key_sha256);
  assert.notEqual(after[0].serial_number, before.serial_number);
  assert.equal(after[1].revocation_reason, "superseded");
});

test("a certificate is renewed and the former one revoked; the new one is revoked by its owner", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "dave");
  await world.stale("dave"); // which an attested key makes up for
  const before = (await world.admin.get(`/api/hwkey/${pins}/certificates`)).items.find((c) => c.status === "issued");
  const form = await newCertificate(page, "Dave's key");
  await see(form.getByText(/The (new )?certificate is on the token/));
  await form.getByRole("button", { name: "Done" }).click();
  const after = (await world.admin.get(`/api/hwkey/${pins}/certificates`)).items;
  assert.equal(after.find((c) => c.serial_number === before.serial_number).revocation_reason, "superseded");
  const now = after.find((c) => c.status === "issued");
  proved(now);
  unasked(visitor);

  await page.goto(`/certificates/${now.serial_number}`);
  await page.getByRole("button", { name: "Revoke" }).click();
  const ask = dialog(page);
  await ask.getByRole("button", { name: /^Revoke/ }).click();
  await gone(ask);
  await see(page.getByText("Revoked").first());
  assert.equal((await world.admin.get(`/api/certificates/${now.serial_number}`)).status, "revoked");
  // All is not done for whom cannot sign in any more.
  await page.goto("/");
  await see(page.getByText(/^The certificate for Authentication on .* is revoked\.$/));
});
