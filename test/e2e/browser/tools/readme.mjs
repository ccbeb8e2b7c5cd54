// Takes the pictures of the README and the documents, of the same server as scripts/screenshots.
//
//   scripts/build && node test/e2e/browser/tools/readme.mjs docs/images
import { join, resolve } from "node:path";
import { look } from "../harness/axe.mjs";
import { estate, estateSettings } from "../harness/estate.mjs";
import { fleet, fleetTokens } from "../harness/fleet.mjs";
import { card, choosePin, dialog, signInToTokens } from "../harness/flows.mjs";
import { openBrowser, settled, Visitor } from "../harness/visitor.mjs";
import { World } from "../harness/world.mjs";

/** readmePictures takes them: carol sets up her spare key meanwhile. */
export async function readmePictures(world, folder) {
  // All is well on them.
  await world.admin.put("/api/admin/settings/mail", { enabled: false });
  await world.admin.get("/api/pki/crl");
  const browser = await openBrowser();
  const open = (options) => Visitor.open(browser, world, options);
  const shoot = async (page, name, height, scheme = "light", width = 1280) => {
    await look(page, { scheme, width, height });
    await page.screenshot({ path: join(folder, `${name}.png`) });
  };
  try {
    const admin = await open();
    await admin.signIn("admin");
    const { page } = admin;
    await page.evaluate(() => localStorage.setItem("keyward-first-steps-hidden", "true"));
    for (const [path, name, height, scheme] of [
      ["/", "overview", 975],
      ["/admin/audit", "audit-dark", 760, "dark"],
      ["/admin/compliance", "compliance", 800],
      ["/system/backups", "backups", 760],
    ]) {
      await page.goto(path);
      await settled(page);
      await shoot(page, name, height, scheme);
    }
    const carol = await open();
    await signInToTokens(carol, "carol");
    await shoot(carol.page, "my-tokens", 1020);
    await carol.page.setViewportSize({ width: 1100, height: 720 });
    await card(carol.page, "Spare key, in the safe").getByRole("button", { name: "Set up" }).click();
    await choosePin(dialog(carol.page), "730416");
    await dialog(carol.page).getByRole("button", { name: "Set up" }).click();
    await dialog(carol.page)
      .getByText(/^Touch the/)
      .first()
      .waitFor();
    await carol.page.screenshot({ path: join(folder, "set-up.png") });
    await dialog(carol.page).getByText("The token is ready.").waitFor();
  } finally {
    await browser.close();
  }
}

if (import.meta.filename === process.argv[1]) {
  let world;
  try {
    world = await World.start({ tokens: fleetTokens, agent: true, settings: estateSettings });
    await fleet(world);
    await estate(world);
    for (const serial of fleetTokens.slice(2)) await world.unplug(serial); // other people's
    await readmePictures(world, resolve(process.argv[2]));
  } finally {
    await world?.stop();
  }
}
