// CAs: one under a root of one's own, from the request to signing, and a request that is withdrawn.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after } from "node:test";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { confirm } from "./harness/flows.mjs";
import { asCA, asPerson, OwnRoot } from "./harness/ownroot.mjs";
import { gone, see, suite } from "./harness/suite.mjs";

const { test } = suite();

const own = new OwnRoot();
after(() => own.remove());

/** picture keeps what a person who develops wants to look at. */
async function picture(page, name) {
  if (process.env.KEYWARD_PICTURES)
    await page.screenshot({ path: `${process.env.KEYWARD_PICTURES}/${name}.png`, fullPage: true });
}

/** panel is that of one CA. */
function panel(page, name) {
  const heading = page.getByRole("heading", { level: 2, name, exact: true });
  return page.locator("section").filter({ has: heading });
}

/** looks takes the page on a wide and on a narrow screen. */
async function looks(page, name) {
  if (!process.env.KEYWARD_PICTURES) return;
  await page.emulateMedia({ colorScheme: "light" });
  for (const [view, width] of Object.entries({ narrow: 360, wide: 1280 })) {
    await page.setViewportSize({ width, height: 900 });
    await picture(page, `${name}-${view}`);
  }
}

test("a CA is put under a root of one's own, and signs", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/admin/cas");
  const first = panel(page, "Keyward Root CA");
  await see(first.getByText("Active", { exact: true }));
  await see(first.getByText("No valid certificates"));
  await see(first.getByText(`${world.site}/api/pki/ca.cer`));
  assert.ok(!(await page.getByText("PKI_PARENT_CRL_FILES").count()), "nobody is above it");
  await looks(page, "cas-one");
  await accessible(page, "the certificate authority");

  // Requested, after saying who one is.
  await world.stale("admin");
  await page.getByRole("button", { name: "Put it under your own root" }).click();
  const asked = page.getByRole("dialog", { name: "Put the CA under your own root" });
  assert.ok(await asked.getByRole("radio", { name: "Your own CA" }).isChecked());
  await picture(page, "cas-request");
  await accessiblePart(page, "a request for a CA");
  await asked.getByLabel("Common name (CN)").fill("Keyward Root CA");
  await asked.getByRole("button", { name: "Request" }).click();
  await confirm(page, world.people.admin.password);
  await see(asked.getByText("Another CA here has this name. Choose one that was never used."));
  await asked.getByLabel("Common name (CN)").fill("Example Tokens 2026");
  await asked.getByRole("button", { name: "Request" }).click();
  await gone(asked);
  const next = panel(page, "Example Tokens 2026");
  await see(next.getByText("Requested", { exact: true }).first());
  await looks(page, "cas-requested");
  await accessible(page, "a CA that is requested");

  // Its request is signed, first in the wrong way.
  const saved = page.waitForEvent("download");
  await next.getByRole("button", { name: "Download request" }).click();
  const download = await saved;
  assert.equal(download.suggestedFilename(), "Example_Tokens_2026.csr");
  const csr = readFileSync(await download.path(), "utf8");
  await next.getByRole("button", { name: "Install certificate…" }).click();
  const install = page.getByRole("dialog", { name: "Install the certificate of Example Tokens 2026" });
  const choose = async (label, path) => {
    const [chooser] = await Promise.all([
      page.waitForEvent("filechooser"),
      install.getByRole("button", { name: `Choose file: ${label}`, exact: true }).click(),
    ]);
    await chooser.setFiles(path);
  };
  const send = () => install.getByRole("button", { name: "Install", exact: true }).click();
  await install.getByLabel("Certificate", { exact: true }).fill(readFileSync(own.file("root.pem"), "utf8"));
  await send();
  await see(install.getByText(/This certificate is for another key than the request's/));
  assert.equal(await install.getByLabel("Certificate", { exact: true }).getAttribute("aria-invalid"), "true");
  await picture(page, "cas-install");
  await accessiblePart(page, "a certificate of a CA that does not fit");
  await choose("Certificate", own.sign(csr, asCA, "ca.cer", "DER"));
  assert.match(await install.getByLabel("Certificate", { exact: true }).inputValue(), /^-----BEGIN CERTIFICATE-----\n/);
  await send();
  await see(install.getByText(/don't lead from this CA to a self-signed root/));
  assert.equal(
    await install.getByRole("textbox", { name: "Certificates above it" }).getAttribute("aria-invalid"),
    "true",
  );
  await choose("Certificates above it", own.file("root.pem"));
  await choose("Certificate", own.sign(csr, asPerson, "person.pem"));
  await send();
  await see(install.getByText(/its basic constraints must say CA:TRUE/));
  await choose("Certificate", own.file("ca.cer"));
  await send();
  await gone(install);

  // It is ready: its root goes to whoever checks certificates, and then it signs.
  await see(next.getByText("Ready", { exact: true }));
  await see(next.getByText(/First distribute the certificate of Example Root/));
  const rootFile = page.waitForEvent("download");
  await next.getByRole("button", { name: "Download Example Root" }).click();
  assert.equal(
    readFileSync(await (await rootFile).path(), "utf8").trim(),
    readFileSync(own.file("root.pem"), "utf8").trim(),
  );
  const chain = next.getByRole("list", { name: "Chain of Example Tokens 2026" }).getByRole("listitem");
  assert.match((await chain.allInnerTexts())[0], /^Example Root\n/);
  await see(page.getByText(/PKI_PARENT_CRL_FILES/));
  await looks(page, "cas-ready");
  await accessible(page, "a CA that is ready");
  await next.getByRole("button", { name: "Sign with this CA…" }).click();
  const sure = page.getByRole("dialog", { name: "Sign with Example Tokens 2026?" });
  await see(sure.getByText(/must trust Example Root first/));
  await picture(page, "cas-activate");
  await accessiblePart(page, "before a CA signs");
  await sure.getByRole("button", { name: "Sign with this CA" }).click();
  await gone(sure);
  await see(next.getByText("Active", { exact: true }));
  await see(first.getByText("Retiring", { exact: true }));
  const { items } = await world.admin.get("/api/admin/cas");
  assert.deepEqual(
    items.map((ca) => `${ca.subject} ${ca.state}`),
    ["CN=Example Tokens 2026 active", "CN=Keyward Root CA retiring"],
  );
  await see(next.getByText(`${world.site}/api/pki/ca/${items[0].id}.cer`));
  await looks(page, "cas-retiring");
  await accessible(page, "a CA that retires");

  // The next one is under that root, too, unless somebody says otherwise.
  assert.ok(!(await page.getByRole("button", { name: "Put it under your own root" }).count()));
  await page.getByRole("button", { name: "Renew", exact: true }).click();
  const renewal = page.getByRole("dialog", { name: "Renew the CA" });
  assert.ok(await renewal.getByRole("radio", { name: "Your own CA" }).isChecked());
  await renewal.getByRole("button", { name: "Cancel" }).click();

  // In German all of it is German.
  await page.evaluate(() => localStorage.setItem("keyward-language", "de"));
  await page.reload();
  await see(page.getByRole("heading", { level: 1, name: "Zertifizierungsstelle" }));
  await see(page.getByText("Läuft aus", { exact: true }));
  await looks(page, "cas-german");
  await page.getByRole("button", { name: "Wieder mit ihr signieren …" }).click();
  await see(page.getByText(/Alles, was Zertifikate prüft, muss zuerst Keyward Root CA vertrauen/));
  await picture(page, "cas-german-activate");
  await page.evaluate(() => localStorage.setItem("keyward-language", "en"));

  // What the audit log says of it.
  const actions = await world.admin.actions("ca.");
  assert.deepEqual(actions.map((entry) => entry.action).toSorted(), [
    "ca.activated",
    "ca.installed",
    "ca.requested",
    "ca.retired",
  ]);
  await page.goto("/admin/audit?action=ca.");
  await see(page.getByText("CA signs certificates from now on").first());
});

test("a request is withdrawn, and a CA that signs itself is ready at once", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/admin/cas");
  await page.getByRole("button", { name: "Renew", exact: true }).click();
  const asked = page.getByRole("dialog", { name: "Renew the CA" });
  await asked.getByRole("radio", { name: "Your own CA" }).click();
  await asked.getByRole("button", { name: "Request" }).click();
  await gone(asked);
  const { subject } = (await world.admin.get("/api/admin/cas")).items.find((ca) => ca.state === "requested");
  assert.match(subject, /^CN=.* \d+$/, "the next number");
  const request = panel(page, subject.slice("CN=".length));
  await request.getByRole("button", { name: "Withdraw…" }).click();
  const sure = page.getByRole("dialog", { name: /^Withdraw the request of / });
  await see(sure.getByText("Its key is deleted."));
  await picture(page, "cas-withdraw");
  await accessiblePart(page, "before a request is withdrawn");
  await sure.getByRole("button", { name: "Withdraw" }).click();
  await gone(sure);
  await gone(request);

  await page.getByRole("button", { name: "Renew", exact: true }).click();
  await asked.getByRole("radio", { name: "The new CA itself" }).click();
  await asked.getByLabel("Common name (CN)").fill("Keyward 2030");
  await asked.getByRole("combobox", { name: "Key type" }).click();
  await page.getByRole("option", { name: "EC-P384" }).click();
  await asked.getByRole("button", { name: "Create" }).click();
  await gone(asked);
  const made = panel(page, "Keyward 2030");
  await see(made.getByText("Ready", { exact: true }));
  await see(made.getByText("EC-P384"));
  const { items } = await world.admin.get("/api/admin/cas");
  assert.ok(!items.some((ca) => ca.subject === subject));
});
