// The flows once in the other engine, from the sign-in to a renewed certificate: with the real agent and a virtual token.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { Guest, openFirefox } from "./harness/firefox.mjs";
import { evidence } from "./harness/suite.mjs";
import { World } from "./harness/world.mjs";

const [own, helped] = ["20260001", "20260002"];
let world;
let browser;

before(async () => {
  [browser, world] = await Promise.all([openFirefox(), World.start({ tokens: [own, helped], agent: true })]);
  await world.token(own, { owner: "carol", label: "Fresh key" });
  await world.token(helped, { owner: "erin", label: "Erin's key" });
});
after(async () => {
  await browser?.close();
  await world?.stop();
});

/** visit has somebody do something; how the page looks when that fails is kept. */
async function visit(name, act) {
  const guest = await Guest.open(browser, world);
  try {
    await act(guest);
    assert.deepEqual(guest.complaints, []);
  } catch (error) {
    const file = evidence(`firefox-${name}`);
    await guest.page.screenshot({ path: `${file}.png` });
    writeFileSync(`${file}.txt`, `${guest.complaints.join("\n")}\n${await guest.page.content()}\n${world.log}`);
    throw error;
  } finally {
    await guest.context.close();
  }
}

const certificates = async (serial) => (await world.admin.get(`/api/hwkey/${serial}/certificates`)).items;

test(
  "in Firefox, a blank token is set up, its PIN changed, its certificate renewed, and it is reset",
  { timeout: 240_000 },
  () =>
    visit("own", async (carol) => {
      await carol.signIn("carol", "/tokens");
      await carol.sees("Agent connected");
      const card = carol.card("Fresh key");
      const { dialog } = carol;
      const done = async (words) => {
        await dialog.sees(words);
        await dialog.press("Done");
      };

      await card.press("Set up");
      await dialog.type("Your PIN", "482915");
      await dialog.type("Repeat PIN", "482915");
      await dialog.press("Set up");
      await done("The token is ready.");
      const [first] = await certificates(own);
      assert.equal(first.attested, true);

      await card.press("Change PIN");
      await dialog.type("Your PIN", "739184");
      await dialog.type("Repeat PIN", "739184");
      await dialog.press("Change PIN");
      await done("The new PIN is set.");

      await card.press("New certificate");
      await dialog.choose("9a");
      await dialog.press("Get certificate");
      await done("certificate is on the token");
      const states = (await certificates(own)).map((c) => [c.status, c.revocation_reason ?? ""]).sort();
      assert.deepEqual(states, [
        ["issued", ""],
        ["revoked", "superseded"],
      ]);

      // One that has expired is renewed.
      await world.ends(own, -1 / 86_400);
      await carol.page.reload();
      await card.press("Renew your sign-in certificate");
      await dialog.press("Renew");
      await done("The new certificate is on the token");
      const [renewed, ...former] = await certificates(own);
      assert.deepEqual([renewed.status, former.length], ["issued", 2]);
      assert.ok(former.every((c) => c.status !== "issued"));
      // The vault knows what the card has.
      await world.command("renew", own, "carol");

      await card.unfold("More actions");
      await carol.press("Reset token");
      await dialog.type(`Enter ${own} to confirm`, own);
      await dialog.press("Reset this token");
      await dialog.sees("The token is empty.");
      await dialog.press("Close");
      await card.sees("not yet"); // set up: its secrets are the factory's
      assert.ok((await certificates(own)).every((c) => c.status !== "issued"));
    }),
);

test("in Firefox, the help desk unblocks a PIN", { timeout: 180_000 }, async () => {
  await world.command("enroll", helped, "erin");
  await world.blockPIN(helped);
  await visit("helped", async (mia) => {
    await mia.signIn("mia", "/tokens");
    const card = mia.card("Erin's key");
    await card.sees("Its PIN is blocked");
    await card.press("Unblock PIN");
    await mia.dialog.type("Reason", "at the help desk in person");
    await mia.dialog.type("New PIN", "502746");
    await mia.dialog.type("Repeat PIN", "502746");
    await mia.dialog.press("Unblock PIN");
    await mia.dialog.sees("The PIN is unblocked.");
    await mia.dialog.press("Done");
  });
  await world.command("renew", helped, "erin");
});
