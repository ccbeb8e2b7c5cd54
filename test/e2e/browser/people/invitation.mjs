import assert from "node:assert/strict";
import { accessible, accessiblePart } from "../harness/accessible.mjs";
import { MailServer } from "../harness/smtp.mjs";
import { eventually, gone, see } from "../harness/suite.mjs";
import { settled } from "../harness/visitor.mjs";

const password = "a passphrase of my own";

/** invitation is mail, and an account that begins by it. */
export function invitation(test) {
  test("mail is set up; a manager invites somebody, who gets the link, sets the first password and signs in", async ({
    world,
    visitor,
    page,
    open,
  }) => {
    const smtp = await MailServer.start();
    const admin = await open();
    admin.allow(/422/); // the refusal
    await admin.signIn("admin", "/system/mail");
    const main = admin.page.getByRole("main");
    const save = async () => {
      await main.getByRole("button", { name: "Save" }).click();
      await see(admin.page.getByText("Settings saved.").last());
    };
    const send = () => main.getByRole("button", { name: "Send a test message" }).click();
    await main.getByRole("button", { name: "Set up email" }).click();
    await main.getByRole("switch", { name: "Send mail" }).click();
    await main.getByRole("textbox", { name: "Server", exact: true }).fill("127.0.0.1");
    await main.getByLabel("Port", { exact: true }).fill(String(smtp.port));
    await main.getByLabel("From address").fill("keyward@example.org");
    // A password that was begun by mistake is in nobody's way.
    await main.getByRole("button", { name: "Set a password" }).click();
    await main.getByRole("button", { name: "Don't set one" }).click();
    await save();
    await send();
    await see(main.getByText("The mail server doesn't offer STARTTLS."));
    await accessiblePart(admin.page, "settings of mail, and a test that was refused", "main");
    await main.getByText("None", { exact: true }).click();
    await save();
    await send();
    await see(main.getByText(`The mail server accepted the message to ${world.people.admin.email}.`));

    await visitor.signIn("mia", "/admin/people");
    await page.getByRole("button", { name: "Add person" }).click();
    const form = page.getByRole("dialog", { name: "Add person" });
    await form.getByLabel("Username").fill("ina");
    await form.getByLabel("Email").fill("ina@acme.example");
    await form.getByText("Invite", { exact: true }).click();
    await form.getByRole("button", { name: "Add", exact: true }).click();
    const shown = page.getByRole("dialog", { name: "Invitation for ina" });
    await see(shown.getByText("It is sent to ina@acme.example."));
    const link = await shown.getByLabel("Link").inputValue();
    assert.match(link, /\/invitation#token=[\w-]{43}$/);
    await shown.getByRole("button", { name: "I have saved it" }).click();
    const name = page.getByRole("link", { name: "ina", exact: true });
    await see(page.getByText("Invited", { exact: true }).filter({ visible: true }));
    await gone(page.getByRole("row").filter({ has: name }).getByText("Active", { exact: true }));

    // Another link, made later: only it works. It has gone to her, too.
    await name.click();
    const next = page.getByRole("region", { name: "What to do next" });
    await see(next.getByText("ina has no token."));
    await page.getByRole("main").getByRole("button", { name: "Invite" }).click();
    const later = await shown.getByLabel("Link").inputValue();
    assert.notEqual(later, link);
    const mailed = ({ to, text }) => to.includes("ina@acme.example") && text.includes(later);
    await eventually("the link has come by mail", () => smtp.messages.some(mailed));
    await main.getByRole("tab", { name: "Messages" }).click();
    const row = main.getByRole("row").filter({ hasText: "ina@acme.example" }).first();
    await see(row.getByText("Invitation", { exact: true }));
    await see(row.getByText("Sent", { exact: true }).filter({ visible: true }));
    await accessiblePart(admin.page, "messages that were sent", "main");

    const ina = await open();
    const fill = async (address, repeat = password) => {
      await ina.page.goto("about:blank"); // a new fragment alone would load nothing
      await ina.page.goto(address);
      await ina.page.getByLabel("Password", { exact: true }).fill(password);
      await ina.page.getByLabel("Repeat password").fill(repeat);
    };
    // A link that a later one replaced says so before anybody thinks of a password.
    await ina.page.goto(link);
    await see(ina.page.getByRole("alert").getByText("This invitation is not valid"));
    assert.equal(await ina.page.getByLabel("Password", { exact: true }).count(), 0);
    await fill(later, "another");
    await see(ina.page.getByText("The passwords don't match."));
    await settled(ina.page);
    await see(ina.page.getByText("Username: ina · Acme"));
    assert.match(
      await ina.page.getByLabel("Password", { exact: true }).evaluate((e) => {
        const ids = (e.getAttribute("aria-describedby") ?? "").split(" ");
        return ids.map((id) => document.getElementById(id)?.textContent ?? "").join(" ");
      }),
      /characters/,
      "the rules are announced",
    );
    await accessible(ina.page, "an invitation");
    assert.equal(new URL(ina.page.url()).hash, "", "the token stays in the address");
    // What is missing stands below its field, in the page's own words.
    await fill(later, "");
    await ina.page.getByRole("button", { name: "Set password and sign in" }).click();
    await see(ina.page.getByText("Fill in this field."));
    await ina.page.getByLabel("Repeat password").fill(password);
    await ina.page.getByRole("button", { name: "Set password and sign in" }).click();
    await see(ina.page.getByRole("button", { name: "ina, Menu" }));
    assert.equal((await world.admin.actions("user.invited")).length, 2);

    // What she does not want by mail stays so; nobody has chosen a language for her.
    await ina.page.goto("/profile");
    const api = await world.api("ina", password);
    const own = () => api.get("/api/auth/notifications");
    assert.equal((await own()).language, "");
    const ending = ina.page.getByRole("switch", { name: "Certificate expires soon" });
    await ending.click();
    await eventually("it is saved", async () => (await own()).mail.certificate_ending === false);
    await ina.page.reload();
    await see(ending);
    assert.equal(await ending.isChecked(), false);
    smtp.stop();
  });
}
