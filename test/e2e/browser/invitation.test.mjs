import assert from "node:assert/strict";
import { accessible } from "./harness/accessible.mjs";
import { see, suite } from "./harness/suite.mjs";
import { fillIn, settled } from "./harness/visitor.mjs";

const { test } = suite();

const password = "a passphrase of my own";

test("a manager invites somebody, who sets the first password and signs in", async ({ world, visitor, page, open }) => {
  await visitor.signIn("mia", "/admin/people");
  await page.getByRole("button", { name: "Add a person" }).click();
  const form = page.getByRole("dialog", { name: "Add a person" });
  await form.getByLabel("Username").fill("ina");
  await form.getByLabel("Email").fill("ina@acme.example");
  await form.getByText("Invite", { exact: true }).click();
  await form.getByRole("button", { name: "Add", exact: true }).click();
  const shown = page.getByRole("dialog", { name: "Invitation of ina" });
  const link = await shown.getByLabel("Link").inputValue();
  assert.match(link, /\/invitation#token=[\w-]{43}$/);
  await shown.getByRole("button", { name: "I have noted it" }).click();
  const drawerLink = page.getByRole("link", { name: "ina", exact: true });
  await see(page.getByText("Waits for its invitation").filter({ visible: true }));

  // Another link, made later: only it works.
  await drawerLink.click();
  await page.getByRole("dialog", { name: "ina", exact: true }).getByRole("button", { name: "Invite" }).click();
  const later = await shown.getByLabel("Link").inputValue();
  assert.notEqual(later, link);

  const ina = await open();
  const fill = async (address, repeat = password) => {
    await ina.page.goto("about:blank"); // a new fragment alone would load nothing
    await ina.page.goto(address);
    await ina.page.getByLabel("Password", { exact: true }).fill(password);
    await ina.page.getByLabel("Password, again").fill(repeat);
  };
  await fill(link);
  await settled(ina.page);
  await accessible(ina.page, "an invitation");
  assert.equal(new URL(ina.page.url()).hash, "", "the token stays in the address");
  await ina.page.getByRole("button", { name: "Set the password" }).click();
  await see(ina.page.getByRole("alert").getByText("This invitation is not valid"));
  await fill(later, "another");
  await see(ina.page.getByText("The two do not match."));
  await fill(later);
  await ina.page.getByRole("button", { name: "Set the password" }).click();
  await see(ina.page.getByText("Your password is set."));
  await ina.page.getByRole("button", { name: "Sign in" }).click();
  await fillIn(ina.page, "ina", password);
  await see(ina.page.getByRole("button", { name: "ina, Menu" }));
  assert.equal((await world.admin.actions("user.invited")).length, 2);
});
