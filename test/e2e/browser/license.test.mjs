import { accessiblePart } from "./harness/accessible.mjs";
import { eventually, see, suite } from "./harness/suite.mjs";

const { test } = suite({ license: true });

test("the license in each of its states, as people see it", async ({ world, visitor, page }) => {
  const main = page.getByRole("main");
  const heading = (name) => see(main.getByRole("heading", { name, exact: true }));
  const left = (name) => see(main.getByRole("img", { name, exact: true }));
  const banner = async (title, ...texts) => {
    await page.goto("/profile");
    const told = main.getByRole("status").filter({ hasText: title });
    for (const text of texts) await see(told.getByText(text));
    await told.getByRole("link", { name: "View license" }).click();
    await page.waitForURL("/system/license");
  };
  const comes = async (state, status = state) => {
    await world.licensed(state);
    await eventually(
      `the license is ${state}`,
      async () => (await world.admin.get("/api/admin/license")).status === status,
    );
  };
  await visitor.signIn("admin", "/system/license");
  await heading("Trial");
  await left("18 days left: 18 of 30 days");
  await see(main.getByText("No license has been uploaded or removed yet."));

  await comes("TRIAL_OVER", "EXPIRED");
  await banner("The trial is over", "You can't add accounts, tokens or certificates");
  await heading("The trial is over");
  await left("Expired: 0 of 30 days");
  await see(main.getByText("Without a valid license, nobody can add:"));
  const { installation_id: id } = await world.admin.get("/api/admin/license/installation-id");
  await see(main.getByText(id, { exact: true }));
  await see(main.getByRole("button", { name: "Copy: Installation ID" }));
  const content = main.getByLabel("Content of the license file");
  const upload = main.getByRole("button", { name: "Upload", exact: true });
  visitor.allow(/422/); // the refusal
  await content.fill(await world.licenseFile(-10, -1));
  await upload.click();
  await see(main.getByRole("alert").getByText("This license expired on"));
  const history = main.getByRole("table", { name: "History" });
  await see(history.getByText("It had expired."));
  await accessiblePart(page, "a license that is refused", "main");

  await content.fill(await world.licenseFile(0, 365));
  await upload.click();
  await heading("Licensed");
  await left("365 days left: 365 of 365 days");
  await see(history.getByText(/^Example Ltd, enterprise, valid until /));

  const buffer = Buffer.from(await world.licenseFile(0, 5));
  await main.locator("input[type=file]").setInputFiles({ name: "next.license", mimeType: "", buffer });
  await upload.click();
  await heading("The license expires soon");
  await left("5 days left: 5 of 5 days");
  await banner("The license expires soon", "5 days left.");

  await comes("EXPIRED");
  await banner("The license has expired", "You can't add accounts, tokens or certificates");
  await heading("The license has expired");
  await left("Expired: 0 of 99 days");
  await main.getByRole("button", { name: "Remove license…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove license" }).click();
  await heading("The license is missing");
  await see(history.getByText("Removed"));

  await comes("INVALID");
  await banner("The license is not valid", "You can't add accounts, tokens or certificates");
  await heading("The license is not valid");
  await see(main.getByText("This doesn't apply while the license is not valid."));
  await accessiblePart(page, "a license that is not valid", "main");
});
