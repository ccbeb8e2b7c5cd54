import assert from "node:assert/strict";
import { accessiblePart } from "../harness/accessible.mjs";
import { focused } from "../harness/keys.mjs";
import { gone, see } from "../harness/suite.mjs";

/** certificates are the list of them: its order and its filters. */
export function certificates(test) {
  test("certificates go by their end at a key's press, and the focus stays", async ({ visitor, page }) => {
    await page.setViewportSize({ width: 1280, height: 800 });
    await visitor.signIn("mia", "/certificates");
    const ends = page.getByRole("columnheader", { name: "Expires" });
    for (const [order, ...expected] of [
      ["none", "erin", "dave", "carol"],
      ["ascending", "carol", "dave", "erin"],
      ["descending", "erin", "dave", "carol"],
    ]) {
      await page.locator(`th[aria-sort="${order}"]`, { hasText: "Expires" }).waitFor();
      await see(page.locator("tbody:not([inert]) tr").first());
      assert.deepEqual(await page.locator("tbody tr td:nth-child(2) a").allTextContents(), expected);
      if (order !== "none") assert.equal(await focused(page), "Expires", "the focus stays on the column");
      await ends.getByRole("button").press("Enter");
    }
    await page.locator('th[aria-sort="none"]', { hasText: "Expires" }).waitFor();
    await ends.getByRole("button").press("Enter");
    await page.waitForURL((url) => url.searchParams.get("sort") === "not_after");
    await page.reload();
    await page.locator('th[aria-sort="ascending"]').waitFor();
  });

  test("a search that ended before all certificates were read says so", async ({ visitor, page }) => {
    const cut = page.getByText("Only the first 10,000 certificates to expire were searched.");
    await visitor.signIn("mia", "/certificates?q=carol");
    await see(page.getByRole("img", { name: /^One of these certificates expires within a year/ }));
    assert.equal(await cut.count(), 0);
    await page.route("**/api/certificates/by-week?*", async (route) => {
      const { weeks } = await (await route.fetch()).json();
      const none = weeks.map((week) => ({ ...week, count: 0 }));
      await route.fulfill({ json: { weeks: none, counts_are_exact: false } });
    });
    await page.reload();
    await see(cut);
    await see(page.getByRole("img", { name: /^Only the first 10,000/ }));
  });

  test("an unconfirmed certificate is found, and its page names the owner", async ({ visitor, page }) => {
    await page.setViewportSize({ width: 360, height: 800 });
    await visitor.signIn("mia", "/certificates?show=unconfirmed");
    await see(page.getByRole("link", { name: "dave" }));
    assert.equal(await page.locator("tbody tr").count(), 1);
    await see(page.getByRole("img", { name: /^One of these certificates expires within a year/ }));
    await see(page.getByRole("combobox", { name: "Sort by" }));
    await page.getByRole("link", { name: "dave" }).click();
    await see(page.getByRole("heading", { name: "Certificate of dave" }));
    // Each page leads back to the one from which it was opened: token, certificate, list with its filter.
    const main = page.getByRole("main");
    await main.getByRole("link", { name: "30260002" }).first().click();
    await see(page.getByRole("heading", { level: 1, name: "dave · 30260002" }));
    await main.getByRole("link", { name: "Certificate", exact: true }).click();
    await see(page.getByRole("heading", { name: "Certificate of dave" }));
    await main.getByRole("link", { name: "Certificates", exact: true }).click();
    await page.waitForURL((url) => url.pathname === "/certificates" && url.searchParams.get("show") === "unconfirmed");
    await page.getByRole("link", { name: "dave" }).click();
    await see(page.getByRole("heading", { name: "Certificate of dave" }));
    await page.getByRole("link", { name: "dave", exact: true }).click();
    await see(page.getByRole("heading", { level: 1, name: "dave" }));
  });
}

/** revocations are of many certificates at once. Afterwards none of them is valid. */
export function revocations(test) {
  test("selected certificates are revoked, and only what failed is named", async ({ world, visitor, page }) => {
    const { items } = await world.admin.get("/api/certificates");
    const of = (name) => items.find((c) => c.common_name === name).serial_number;
    await visitor.signIn("mia", "/certificates");
    await page.getByRole("checkbox", { name: "Select all on this page" }).check();
    await world.admin.post(`/api/certificates/${of("carol")}/revoke`, { reason: "superseded" });
    visitor.allow(/409|403/);
    await page.route(`**/api/certificates/${of("dave")}/revoke`, (route) =>
      route.fulfill({
        status: 403,
        contentType: "application/problem+json",
        body: JSON.stringify({ code: "permission_denied", detail: "No." }),
      }),
    );
    const bar = page.getByRole("region", { name: "With the selected certificates" });
    await see(bar.getByText("3 selected"));
    await bar.getByRole("button", { name: "Revoke…" }).click();
    const dialog = page.getByRole("dialog", { name: "Revoke 3 certificates?" });
    await dialog.getByRole("combobox", { name: "Reason" }).click();
    await page.getByRole("option", { name: "No longer needed" }).click();
    await accessiblePart(page, "the revocation of many");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await see(dialog.getByText("1 certificate revoked · 1 already revoked · 1 failed"));
    await see(dialog.getByRole("link", { name: "dave" }));
    assert.equal(await dialog.getByRole("row").count(), 2, "its head, and what failed");
    await dialog.getByRole("button", { name: "Close" }).last().click();
    await gone(bar);
    const revoked = await world.admin.get(`/api/certificates/${of("erin")}`);
    assert.equal(revoked.revocation_reason, "cessationOfOperation");
  });
}
