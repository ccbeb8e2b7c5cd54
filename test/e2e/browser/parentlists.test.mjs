// The revocation lists of the CAs above ours: what is wrong with them, and that they are published.
import { readFileSync, writeFileSync } from "node:fs";
import { after } from "node:test";
import { accessible } from "./harness/accessible.mjs";
import { asCA, OwnRoot } from "./harness/ownroot.mjs";
import { eventually, see, suite } from "./harness/suite.mjs";

const own = new OwnRoot();
after(() => own.remove());
const list = own.file("root.crl");
own.list("root.crl", 3600);

const { test } = suite({ settings: { PKI_PARENT_CRL_FILES: list } });

test("the page says what is wrong with the list of a CA above ours", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/admin/cas");
  const table = page.getByRole("table", { name: "Revocation lists of the CAs above" });
  await see(table.getByText("Unknown issuer"));
  await see(table.getByText("root.crl"));
  const { id, csr } = await world.admin.post("/api/admin/cas", { parent: "external" });
  const certificate = readFileSync(own.sign(csr, asCA, "ca.pem"), "utf8");
  const chain = readFileSync(own.file("root.pem"), "utf8");
  await world.admin.post(`/api/admin/cas/${id}/certificate`, { certificate, chain });
  await page.reload();
  await see(table.getByText("Published"));
  await see(table.getByText("Example Root"));
  await see(page.getByText(`${world.site}/api/pki/parent-crl`));
  if (process.env.KEYWARD_PICTURES)
    await page.screenshot({ path: `${process.env.KEYWARD_PICTURES}/parentlists.png`, fullPage: true });
  await accessible(page, "the lists of the CAs above");

  own.list("root.crl", 1);
  await eventually("the list has ended", async () => {
    await page.reload();
    await see(table);
    return (await table.getByText("Expired").count()) > 0;
  });
  await see(table.getByText("Get the next list from this CA, and replace the file."));
  writeFileSync(list, "no list");
  await page.reload();
  await see(table.getByText("Can't be read"));
});
