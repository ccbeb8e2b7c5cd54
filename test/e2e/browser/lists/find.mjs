import assert from "node:assert/strict";
import { accessiblePart } from "../harness/accessible.mjs";
import { hasFocus, tabTo } from "../harness/keys.mjs";
import { gone, see } from "../harness/suite.mjs";

/** find is what Ctrl+K opens. */
export function find(test) {
  test("a token, a person and a page are found and opened by keyboard alone", async ({ visitor, page }) => {
    await visitor.signIn("mia", "/profile");
    const before = page.getByRole("link", { name: "Compliance" });
    await tabTo(page, before);
    const field = page.getByRole("combobox", { name: "Find" });
    // Nobody waits for the dialog: what is typed before it is there counts.
    const look = async (text) => {
      await page.keyboard.press("Control+k");
      await page.keyboard.type(text);
      await hasFocus(page, field, "the field");
      assert.equal(await field.inputValue(), text);
    };
    await look("crowd 12");
    const found = page.getByRole("group", { name: "Tokens" }).getByRole("option");
    await see(found.filter({ hasText: "Crowd 129" }));
    await see(found.filter({ hasText: "View all (10)" }));
    await accessiblePart(page, "what was found");
    await page.keyboard.press("Escape");
    await gone(field);
    await hasFocus(page, before, "who leaves without a choice");

    await look("31000129"); // Enter waits for the answer
    await page.keyboard.press("Enter");
    await see(page.getByRole("heading", { level: 1, name: "31000129" }));
    await page.waitForFunction(() => document.activeElement?.id === "content");

    await look("erin");
    await see(page.getByRole("group", { name: "Certificates" }));
    const person = page.getByRole("group", { name: "People" }).getByRole("option", { name: /erin/ });
    for (let i = 0; i < 10 && (await person.getAttribute("aria-selected")) !== "true"; i++) {
      await page.keyboard.press("ArrowDown");
    }
    assert.equal(await field.getAttribute("aria-activedescendant"), await person.getAttribute("id"));
    await page.keyboard.press("Enter");
    await see(page.getByRole("heading", { level: 1, name: "erin" }));

    await look("audi");
    await page.keyboard.press("Enter");
    await page.waitForURL("/admin/audit");
    await page.waitForFunction(() => document.activeElement?.id === "content");

    // An action, by its word in the other language; a reload does not begin it again.
    await look("person anlegen");
    await page.keyboard.press("Enter");
    await see(page.getByRole("dialog", { name: "Add person" }));
    await page.reload();
    await see(page.getByRole("heading", { level: 1, name: "People" }));
    await gone(page.getByRole("dialog"));
  });

  test("a field that doesn't come gives the keys back", async ({ visitor, page }) => {
    let go;
    const held = new Promise((resolve) => {
      go = resolve;
    });
    await page.route("**/assets/dialog-*.js", async (route) => {
      await held;
      await route.continue();
    });
    await visitor.signIn("mia", "/admin/people");
    const name = page.getByRole("searchbox").first();
    for (const instead of [() => page.keyboard.press("Escape"), () => name.click()]) {
      await page.keyboard.press("Control+k");
      await page.keyboard.type("x");
      await instead();
      await name.fill("");
      await page.keyboard.type("er");
      assert.equal(await name.inputValue(), "er");
    }
    go();
  });

  test("what cannot be found is said, and what could not be looked through", async ({ visitor, page }) => {
    await visitor.signIn("mia", "/profile");
    await page.getByRole("button", { name: "Find" }).click();
    await page.keyboard.type("nothing of that name");
    assert.equal(await page.getByRole("combobox", { name: "Find" }).inputValue(), "nothing of that name");
    await see(page.getByText("No matches"));
    await page.route("**/api/admin/users?*", (route) => route.abort());
    await page.getByRole("combobox", { name: "Find" }).fill("dave");
    await see(page.getByRole("alert").getByText("Not searched: People"));
    await see(page.getByRole("group", { name: "Certificates" }));
    await page.unroute("**/api/admin/users?*");
    await page.getByRole("button", { name: "Try again" }).click();
    await see(page.getByRole("group", { name: "People" }));
  });

  test("who manages nobody finds what is their own", async ({ visitor, page }) => {
    const asked = [];
    await visitor.signIn("carol", "/profile");
    page.on("request", (request) => asked.push(new URL(request.url()).pathname));
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Find" }).fill("30260001");
    await see(page.getByRole("group", { name: "Tokens" }).getByRole("option", { name: /30260001/ }));
    await page.getByRole("combobox", { name: "Find" }).fill("mia");
    await see(page.getByText("No matches"));
    await page.getByRole("combobox", { name: "Find" }).fill("back up");
    await see(page.getByText("No matches"));
    await page.getByRole("combobox", { name: "Find" }).fill("unblock");
    await see(page.getByRole("group", { name: "Actions" }).getByRole("option", { name: "Unblock PIN" }));
    assert.deepEqual(
      asked.filter((path) => path.startsWith("/api/admin")),
      [],
    );
  });
}
