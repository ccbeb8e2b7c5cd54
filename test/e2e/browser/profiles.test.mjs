// Certificate profiles: what an administrator chooses, what a set-up then does, and a profile of one's own.
import assert from "node:assert/strict";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { card, choosePin, dialog, signInToTokens } from "./harness/flows.mjs";
import { gone, see, suite } from "./harness/suite.mjs";

const serial = "30260041";

const { test } = suite({ tokens: [serial], agent: true }, async (world) => {
  await world.token(serial, { owner: "carol", label: "Carol's key" });
});

/** picture keeps what a person who develops wants to look at. */
async function picture(page, name) {
  if (process.env.KEYWARD_PICTURES)
    await page.screenshot({ path: `${process.env.KEYWARD_PICTURES}/${name}.png`, fullPage: true });
}

test("one choice gives each slot its profile, and a set-up fills them all", async ({ world, visitor, page, open }) => {
  await visitor.signIn("admin", "/admin/profiles");
  await see(page.getByRole("heading", { name: "What each slot gets" }));
  await picture(page, "profiles");
  await accessible(page, "certificate profiles");
  await page.getByRole("radio", { name: "Logon, signature, encryption" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await see(page.getByText("Saved").or(page.getByText("saved")).first());
  const stored = await world.admin.get("/api/admin/settings/slot-profiles");
  assert.deepEqual([stored.slots["9a"], stored.slots["9d"], stored.plan], ["logon", "encryption", ["9a", "9c", "9d"]]);
  await picture(page, "profiles-saved");

  // Without a UPN or a realm, nobody could log on: the account gets one first.
  await world.admin.patch(`/api/admin/users/${world.people.carol.id}`, { upn: "carol@corp.example" });
  const owner = await open();
  await signInToTokens(owner, "carol");
  await card(owner.page, "Carol's key").getByRole("button", { name: "Set up" }).click();
  const guide = dialog(owner.page);
  await see(guide.getByRole("list", { name: "Slots" }).getByText("Signing email and documents"));
  await accessiblePart(owner.page, "a set-up of several slots");
  await choosePin(guide, "482915");
  await guide.getByRole("button", { name: "Set up" }).click();
  await guide.locator("[aria-current=step]", { hasText: "Key and certificate for signature" }).waitFor();
  await see(guide.getByText("The token is ready."));
  const held = await guide.getByRole("list", { name: "Certificates" }).getByRole("listitem").allInnerTexts();
  assert.deepEqual(
    held.map((text) => text.slice(0, 2)),
    ["9a", "9c", "9d"],
  );
  await picture(owner.page, "set-up");
  await guide.getByRole("button", { name: "Done" }).click();
  await picture(owner.page, "token-cards");
  const { items } = await world.admin.get(`/api/certificates?hwkey_serial=${serial}&status=issued`);
  assert.deepEqual(items.map((c) => `${c.slot} ${c.profile}`).sort(), ["9a logon", "9c signature", "9d encryption"]);
  await owner.page.goto(`/tokens/${serial}`);
  await see(owner.page.getByText("Signing in to Windows, Linux and Kerberos, and to websites"));
  await picture(owner.page, "token");
  await owner.page.goto(`/certificates/${items.find((c) => c.slot === "9a").serial_number}`);
  await see(owner.page.getByText("Sign in to Kerberos (PKINIT)"));
  await see(owner.page.getByText("carol@corp.example"));
  await picture(owner.page, "certificate");
});

test("an organization has what the installation has, until it has a choice of its own", async ({
  world,
  visitor,
  page,
}) => {
  const [organization] = (await world.admin.get("/api/admin/organizations?q=Acme")).items;
  const path = `/api/admin/organizations/${organization.id}/slot-profiles`;
  const choose = async (name) => {
    await page.getByRole("button", { name: "More actions: Acme" }).click();
    await page.getByRole("menuitem", { name: "Certificate profiles" }).click();
    const form = page.getByRole("dialog", { name: "What each slot gets in Acme" });
    await see(form.getByRole("radio", { name }));
    if (name.startsWith("One")) {
      assert.ok(await form.getByRole("radio", { name: "As the installation" }).isChecked());
      await accessiblePart(page, "what each slot gets in an organization");
    }
    await form.getByRole("radio", { name }).click();
    await form.getByRole("button", { name: "Save" }).click();
    await gone(form);
    return world.admin.get(path);
  };
  await visitor.signIn("admin", "/admin/organizations");
  const own = await choose("One certificate for everything (standard)");
  assert.deepEqual([own.slots["9c"], own.plan], ["default", ["9a"]]);
  const none = await choose("As the installation");
  assert.deepEqual([...Object.values(none.slots), none.plan], [null, null, null, null, null]);
});

test("a copy of a profile is changed, refused at its field, saved and deleted", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/admin/profiles/tls-client");
  await see(page.getByRole("main").getByRole("link", { name: "Certificate profiles" }));
  await see(page.getByText(/CN = zoe/));
  await page.getByLabel("For the owner of a token").fill(serial);
  await see(page.getByText(/CN = carol/));
  await picture(page, "profile");
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  const form = page.getByRole("dialog");
  await form.getByLabel("Name", { exact: true }).fill("vpn");
  // What would come out follows what one types.
  await see(form.getByText(/CN = zoe\n/));
  await form.getByLabel("Organization", { exact: true }).fill("Acme VPN");
  await see(form.getByText(/CN = zoe, O = Acme VPN/));
  await picture(page, "profile-preview");
  await form.getByLabel("Organization", { exact: true }).fill("");
  await form.getByLabel("Common name").fill("adm{username}");
  await picture(page, "profile-form");
  await see(form.getByText("It can't be saved like this"));
  await form.getByRole("button", { name: /^(Create|Save)/ }).click();
  await see(form.getByText(/together they can make somebody else's name/).first());
  await form.getByLabel("Common name").fill("{username}");
  await form.getByRole("button", { name: /^(Create|Save)/ }).click();
  await see(page.getByText("Profile vpn created"));
  assert.equal((await world.admin.get("/api/admin/profiles/vpn")).subject.common_name, "{username}");
  await see(page.getByText(/CN = zoe/));
  await accessible(page, "a certificate profile");

  // A slot gets it: it can't be deleted until the slot gets another one.
  const slots = "/api/admin/settings/slot-profiles";
  const before = await world.admin.get(slots);
  await world.admin.put(slots, { ...before, slots: { ...before.slots, "9a": "vpn" } });
  await page.reload();
  await page.getByRole("button", { name: "Delete" }).click();
  const asked = page.getByRole("dialog", { name: "Delete vpn?" });
  await see(asked.getByText("A slot still gets this profile"));
  assert.ok(await asked.getByRole("button", { name: "Delete" }).isDisabled());
  await asked.getByRole("button", { name: "Cancel" }).click();
  await world.admin.put(slots, before);
  await page.reload();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: "Delete vpn?" }).getByRole("button", { name: "Delete" }).click();
  await see(page.getByText("Profile deleted"));
  assert.ok(!(await world.admin.get("/api/admin/profiles")).items.some((p) => p.name === "vpn"));
});
