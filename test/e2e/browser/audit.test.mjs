// The audit log as an auditor reads it.
import { see, suite } from "./harness/suite.mjs";

const serial = "30260041";
const { test } = suite({ tokens: [serial], agent: true }, async (world) => {
  await world.token(serial, { owner: "dave" });
  await world.command("enroll", serial, "dave");
});

test("the log says in a line what somebody did, by name, opens to its entries, and is verified on the page", async ({
  world,
  visitor,
  page,
}) => {
  const { items } = await world.admin.get("/api/admin/audit?actor=dave&limit=500&sort=at");
  const issued = items.find((e) => e.action === "certificate.issued");
  const enrolled = items.find((e) => e.action === "hwkey.enrolled" && e.target_id === serial);
  const steps = items.filter(
    (e) => e.id <= enrolled.id && /^(hwkey|certificate)\./.test(e.action) && (e.target_id === serial || e === issued),
  );
  await visitor.signIn("admin", "/admin/audit?actor=dave");
  const row = page.getByRole("row").filter({ hasText: `Token ${serial} set up` });
  await see(row.getByRole("link", { name: "dave" }).first());
  await row.getByRole("button", { name: /^The \d+ entries with/ }).click();
  for (const e of steps) await see(page.getByRole("button", { name: `Details of entry ${e.id}`, exact: true }));
  await page.getByRole("button", { name: `Details of entry ${issued.id}`, exact: true }).click();
  const entry = page.getByRole("definition");
  await see(entry.getByText(`Token: ${serial}`));
  await see(entry.getByText(/^Subject: CN=dave/));
  await see(entry.getByText(/^Sealed: changes to this entry would be found\.|^Not sealed yet/));
  await entry.getByRole("button", { name: "Verify now" }).click();
  await see(page.getByText(/^The log is intact/));
  await see(page.getByText(/Releases of secrets: [1-9]/));
  const { items: about } = await world.admin.get(`/api/admin/audit?target=${serial}&limit=500`);
  if (!about.some((e) => e.id === issued.id)) throw new Error("the log of the token lacks its certificate's entry");
});
