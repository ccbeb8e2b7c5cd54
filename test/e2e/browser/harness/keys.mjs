import assert from "node:assert/strict";

/** focused tells what has the focus: its id, its name or its tag. */
export function focused(page) {
  return page.evaluate(() => {
    const e = document.activeElement;
    return e?.id || e?.getAttribute("aria-label") || e?.textContent?.trim() || e?.getAttribute("name") || e?.tagName;
  });
}

/** tabTo presses Tab until something has the focus. back: Shift+Tab. */
export async function tabTo(page, locator, { limit = 60, back = false } = {}) {
  await locator.waitFor();
  for (let i = 0; i < limit; i++) {
    if (await has(locator)) return;
    await page.keyboard.press(back ? "Shift+Tab" : "Tab");
  }
  assert.fail(`Tab never comes to ${locator}; it is at ${await focused(page)}`);
}

/** hasFocus waits until something has the focus by itself. */
export async function hasFocus(page, locator, why) {
  await locator.waitFor();
  const found = await locator.elementHandle();
  await page
    .waitForFunction((e) => e === document.activeElement, found)
    .catch(async () => assert.fail(`${why}: the focus is at ${await focused(page)}, not ${locator}`));
}

/** press goes to a button, link or item by Tab, and presses a key on it. */
export async function press(page, locator, key = "Enter") {
  await tabTo(page, locator);
  await page.keyboard.press(key);
}

/** typeInto goes to a field by Tab and types. */
export async function typeInto(page, locator, text) {
  await tabTo(page, locator);
  await page.keyboard.type(text);
}

/** signInByKeys signs in on the page that is open. */
export async function signInByKeys(page, username, password) {
  await typeInto(page, page.getByLabel("Username or email"), username);
  await typeInto(page, page.getByLabel("Password", { exact: true }), password);
  await page.keyboard.press("Enter");
}

function has(locator) {
  return locator.evaluate((e) => e === document.activeElement);
}
