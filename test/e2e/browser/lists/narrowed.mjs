import assert from "node:assert/strict";
import { accessible, accessiblePart } from "../harness/accessible.mjs";
import { issue } from "../harness/fleet.mjs";
import { gone, see } from "../harness/suite.mjs";

const lists = /^\/(admin\/tokens|admin\/people|admin\/audit|certificates)$/;
const numberIn = (text, which) =>
  Number(
    text
      .match(/\d[\d,]*/g)
      ?.at(which)
      .replaceAll(",", ""),
  );

/** total is how many rows the list in sight says that it has. */
async function total(page) {
  const said = page.getByRole("status").filter({ hasText: /^[\d,]+ in total$/ });
  const none = page.locator("p", { hasText: /^No matches$/ });
  await see(said.or(none));
  return (await none.isVisible()) ? 0 : numberIn(await said.textContent(), 0);
}

/** links are those of the page that lead to a list: where to, and the number that they stand for. */
async function links(page) {
  const found = await page.locator("main a").evaluateAll((all) =>
    all.map((a) => {
      const read = a.cloneNode(true);
      for (const hidden of read.querySelectorAll("[aria-hidden]")) hidden.remove();
      const said = a.getAttribute("aria-label") ?? read.textContent;
      return { href: a.getAttribute("href") ?? "", said, task: a.closest("li")?.textContent ?? "" };
    }),
  );
  return found
    .filter(({ href, said }) => lists.test(href.split("?")[0]) && said !== "Certificates")
    .map(({ href, said, task }) => ({ href, said, n: counted(said === "View" ? task : said, said === "View") }));
}

/** counted is the number of a text: a chart has it at the end, a tile at the beginning, and a task may write it out. */
function counted(text, task) {
  if (/^\d/.test(text) && !/: [\d,]+$/.test(text)) return numberIn(text, 0);
  return task ? 1 : numberIn(text, -1);
}

/** narrowed are the filters of the lists, and the numbers that lead to them. */
export function narrowed(test) {
  test("each number of the overview and the report leads to as many rows", async ({ world, visitor, page }) => {
    const rows = [
      "32000001,5.4.3,YubiKey 5 NFC,carol,Acme",
      "32000002,5.4.3,YubiKey 5C NFC,,Acme",
      "32000003,5.10.1,YubiKey 5C NFC,,Acme",
    ];
    const head = "serial,firmware_version,model,owner,organization";
    await world.admin.post("/api/hwkey/import", `${head}\n${rows.join("\n")}\n`, "text/csv");
    for (const [serial, owner, days] of [
      ["32000011", "carol", 9],
      ["32000012", "dave", 40],
      ["32000013", "erin", -2],
    ]) {
      await world.token(serial, { owner });
      await issue(world, serial, owner);
      await world.ends(serial, days);
    }
    await visitor.signIn("mia", "/");
    const seen = new Set();
    for (const path of ["/", "/admin/compliance?within=45"]) {
      await page.goto(path);
      await see(page.getByRole("heading", { name: "Tokens by firmware" }));
      if (path !== "/") await accessible(page, "the report");
      const all = await links(page);
      for (const part of ["firmware=5.4.3", "tokens=none", "show=lapsed", "status=assigned", "week="]) {
        assert.ok(
          all.some((l) => l.href.includes(part)),
          `${path} has a link with ${part}: ${JSON.stringify(all)}`,
        );
      }
      for (const { href, said, n } of all.filter((l) => !seen.has(l.href))) {
        seen.add(href);
        await page.goto(href);
        assert.equal(await total(page), n, `${path}: ${said} leads to ${href}`);
      }
    }
  });

  test("tokens are found by firmware below a version, and people by what they lack", async ({ visitor, page }) => {
    await visitor.signIn("mia", "/admin/tokens?model=5c%20nfc");
    assert.equal(await total(page), 2);
    await page.getByRole("combobox", { name: "Firmware" }).click();
    await page.getByRole("option", { name: "Older than 5.7.0" }).click();
    await see(page.getByRole("status").filter({ hasText: /^1 in total$/ }));
    await see(page.getByRole("link", { name: "32000002" }));
    assert.equal(new URL(page.url()).searchParams.get("firmware"), "<5.7.0");
    await page.reload();
    await see(page.getByRole("link", { name: "32000002" }));
    await page.goto("/admin/people");
    await page.getByRole("combobox", { name: "Tokens" }).click();
    await page.getByRole("option", { name: "Certificate expires within 30 days" }).click();
    await see(page.getByRole("status").filter({ hasText: /^1 in total$/ }));
    await see(page.getByRole("link", { name: "carol" }));
    await accessible(page, "people, narrowed");
  });

  test("a list is as wide as its window, and what it cuts is said by a tooltip", async ({ world, visitor, page }) => {
    const name = "محمد عبد الرحمن بن عبد العزيز بن سليمان الفاروق القحطاني";
    await world.person("m.alfaruq", { name });
    await page.setViewportSize({ width: 1920, height: 900 });
    await visitor.signIn("mia", "/admin/people");
    const link = page.getByRole("link", { name });
    await see(link);
    const right = async (it) => {
      const { x, width } = await it.boundingBox();
      return Math.round(x + width);
    };
    const edge = await right(page.locator("main .mantine-Card-root").first());
    assert.ok(edge > 1880, `the list ends at ${edge} px of 1920`);
    assert.equal(
      await right(page.getByRole("banner").getByRole("button").last()),
      edge,
      "the header ends with the list",
    );
    await page.setViewportSize({ width: 800, height: 900 });
    const text = link.locator("[dir=auto]");
    assert.ok(await text.evaluate((e) => e.scrollWidth > e.clientWidth), "there is no room for the name");
    assert.equal(await text.evaluate((e) => getComputedStyle(e).direction), "rtl", "so that its beginning stays");
    await link.hover();
    const title = await link.evaluate((e) => e.closest("td").title);
    assert.ok(title.includes(name) && title.includes("m.alfaruq"), title);
  });
}

/** views are names for how a list is looked at. */
export function views(test) {
  test("a view is saved with its filters, order and columns, and shared with the organization", async ({
    world,
    visitor,
    page,
    open,
  }) => {
    await page.setViewportSize({ width: 1280, height: 900 });
    await visitor.signIn("mia", "/admin/tokens?firmware=%3C5.7.0&sort=serial");
    const rows = await total(page);
    await page.getByRole("button", { name: "Columns" }).click();
    await page.getByRole("checkbox", { name: "Registered" }).check();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Views" }).click();
    await accessiblePart(page, "the views of a list");
    await page.getByRole("button", { name: "Save this view…" }).click();
    const dialog = page.getByRole("dialog", { name: "Save this view" });
    await dialog.getByRole("textbox", { name: "Name" }).fill("Before 5.7");
    await dialog.getByRole("checkbox", { name: /^Share it/ }).check();
    await accessiblePart(page, "saving a view");
    await dialog.getByRole("button", { name: "Save" }).click();
    await gone(dialog);

    if (!world.people.nora) await world.person("nora", { role: "org_manager" });
    const other = await open({ viewport: { width: 1280, height: 900 } });
    await other.signIn("nora", "/admin/tokens?q=none-of-that");
    await other.page.getByRole("button", { name: "Views" }).click();
    await other.page.getByRole("link", { name: "Before 5.7" }).click();
    await see(other.page.locator('th[aria-sort="ascending"]', { hasText: "Serial" }));
    await see(other.page.getByRole("columnheader", { name: "Registered" }));
    assert.equal(await total(other.page), rows);
    await other.page.getByRole("button", { name: "Views" }).click();
    await other.page.getByRole("button", { name: "Delete the view Before 5.7" }).click();
    await other.page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await see(other.page.getByText("View deleted: Before 5.7"));
    assert.deepEqual((await world.admin.actions("settings.changed")).length, 2);
  });
}
