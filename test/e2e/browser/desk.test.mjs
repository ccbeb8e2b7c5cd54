import assert from "node:assert/strict";
import { choosePin, dialog, signInToTokens } from "./harness/flows.mjs";
import { gone, see, suite } from "./harness/suite.mjs";

const serials = ["20260001", "20260002"];
const [stolen, successor] = serials;
const [broken, spare] = ["30260001", "30260002"];

const { test } = suite({ tokens: serials, agent: true }, async (world) => {
  await world.token(stolen, { owner: "erin", label: "Erin's key" });
  await world.token(successor);
  await world.token(broken, { owner: "dave" });
  await world.token(spare);
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
  await page.getByRole("radio", { name: "Stolen" }).click();
  await see(page.getByText("Its valid certificate is revoked."));
  const field = page.getByRole("combobox", { name: "New token" });
  await field.fill(broken);
  await see(page.getByText("Belongs to dave."));
  const submit = page.getByRole("button", { name: "Report lost and assign new one" });
  assert.equal(await submit.isDisabled(), true);
  await field.fill("");
  await page.keyboard.type(successor);
  await page.keyboard.press("Enter"); // as a scanner does
  await see(page.getByText("In stock. YubiKey 5 NFC"));
  assert.equal((await world.admin.get(`/api/hwkey/${stolen}`)).status, "active");
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
  await choosePin(form, "482915", "New PIN");
  await form.getByRole("button", { name: "Set up" }).click();
  await see(form.getByText("The token is ready."));
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
  await page.getByRole("button", { name: "Retire", exact: true }).click();
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
