import { eventually, see } from "./suite.mjs";

/** card is the part of "My tokens" about one token, by its label; its name has the serial, too. */
export function card(page, label) {
  return page.getByRole("region", { name: new RegExp(`^${label} \\d+$`) });
}

/** dialog is the one that is open. */
export function dialog(page) {
  return page.getByRole("dialog");
}

/** signInToTokens signs in and waits until the agent has told what is plugged in. */
export async function signInToTokens(visitor, username, page = visitor.page) {
  await visitor.signIn(username, "/tokens", page);
  await see(page.getByText("Agent connected"));
}

/**
 * act presses an action of a token's page by its button, or in the menu. It may move from one to the other while it is
 * reached for, when the card has been read again: then it is looked for anew.
 */
export async function act(page, name) {
  const button = page.getByRole("main").getByRole("button", { name });
  const item = page.getByRole("menuitem", { name });
  const menu = page.getByRole("button", { name: /^More actions: / });
  const limit = { timeout: 5_000 };
  const press = async () => {
    await see(button.or(menu).first());
    if (!(await button.or(item).isVisible())) await menu.click(limit);
    await button.or(item).click(limit);
  };
  const pressed = () =>
    press().then(
      () => true,
      () => false,
    );
  await eventually(`an action that is called ${name}`, pressed, 60_000);
}

/** choosePin types a new PIN twice. */
export async function choosePin(form, pin, label = "Your PIN") {
  await form.locator("input:focus").first().waitFor(); // the dialog gives its first field the focus once it is open
  await form.getByLabel(label, { exact: true }).fill(pin);
  await form.getByLabel("Repeat PIN").fill(pin);
}

/** setUp carries a token from where it stands to its certificate and a PIN of the person's own. */
export async function setUp(page, label, button, pin) {
  await card(page, label).getByRole("button", { name: button }).click();
  const form = dialog(page);
  await choosePin(form, pin);
  await form.getByRole("button", { name: "Set up" }).click();
  await form.getByText("The token is ready.").waitFor();
  await form.getByRole("button", { name: "Done" }).click();
}

/** question is what the server's demand for a recent proof of who somebody is comes to. */
export function question(page) {
  return page.getByRole("dialog", { name: "Confirm it's you" });
}

/** confirm answers the question with a password. */
export async function confirm(page, password) {
  await question(page).getByLabel("Password", { exact: true }).fill(password);
  await question(page).getByRole("button", { name: "Confirm", exact: true }).click();
}

/** bodies collects what scripts of the page send: {path, body}. The browser's own events leave out some bodies. */
export async function bodies(page) {
  const sent = [];
  await page.exposeFunction("noteBody", (path, body) => sent.push({ path, body }));
  await page.addInitScript(() => {
    const real = window.fetch;
    window.fetch = async (...args) => {
      const request = new Request(...args);
      window.noteBody(new URL(request.url).pathname, await request.clone().text());
      return real(request);
    };
  });
  return sent;
}

/** hold keeps the next such request of the page waiting: reached when it was sent, release lets it go on. */
export async function hold(page, url) {
  let reach;
  let release;
  const reached = new Promise((resolve) => {
    reach = resolve;
  });
  const released = new Promise((resolve) => {
    release = resolve;
  });
  const wait = async (route) => {
    reach();
    await released;
    await route.continue();
  };
  await page.route(url, wait, { times: 1 });
  return { reached, release };
}
