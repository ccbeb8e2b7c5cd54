import { existsSync } from "node:fs";
import puppeteer from "puppeteer-core";

const path = process.env.FIREFOX ?? "/usr/bin/firefox-esr";

/** openFirefox starts Debian's Firefox, or the one that FIREFOX names, with a new profile; it is driven by WebDriver BiDi. */
export async function openFirefox() {
  if (!existsSync(path))
    throw new Error(`${path} is missing: apt-get install firefox-esr, or say with FIREFOX where it is`);
  return puppeteer.launch({ browser: "firefox", executablePath: path, headless: true });
}

/** Within is what a person finds by its words, in the whole page or in a part of it. */
class Within {
  constructor(page, part) {
    this.page = page;
    this.part = part;
  }

  #find(path) {
    return this.page.locator(`::-p-xpath(${this.part}${path})`);
  }

  /** press clicks a button or a link. */
  press(name) {
    return this.#find(`//*[self::button or self::a][normalize-space(.)="${name}"]`).click();
  }

  /** unfold opens a menu by the beginning of its button's name, which is no word on the screen. */
  unfold(name) {
    return this.#find(`//button[starts-with(@aria-label, "${name}")]`).click();
  }

  /** choose clicks what can be chosen, by the beginning of its words. */
  choose(name) {
    return this.#find(`//*[@role="radio"][starts-with(normalize-space(.), "${name}")]`).click();
  }

  /** type fills in a field by its label. */
  type(label, value) {
    return this.#find(`//input[@id=//label[starts-with(normalize-space(.), "${label}")]/@for]`).fill(value);
  }

  /** sees waits for words. */
  sees(words) {
    return this.#find(`//*[text()[contains(., "${words}")]]`).wait();
  }
}

/** Guest is a person at Firefox, with cookies of their own. It notes what no page of ours may do, as Visitor does. */
export class Guest extends Within {
  /** What the pages did wrong. */
  complaints = [];

  static async open(browser, world) {
    const context = await browser.createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(90_000);
    const guest = new Guest(page, "");
    guest.world = world;
    guest.context = context;
    guest.dialog = new Within(page, '//*[@role="dialog"]');
    const own = [world.site, world.agentURL].map((url) => new URL(url).origin);
    page.on("request", (r) => {
      if (/^https?:/.test(r.url()) && !own.includes(new URL(r.url()).origin))
        guest.complaints.push(`a third host: ${r.url()}`);
    });
    page.on("pageerror", (error) => guest.complaints.push(`a script failed: ${error}`));
    page.on("console", (message) => {
      if (["error", "warn"].includes(message.type())) guest.complaints.push(`the console says: ${message.text()}`);
    });
    return guest;
  }

  /** signIn goes to a page and signs in on the way. */
  async signIn(username, to) {
    await this.page.goto(this.world.site + to);
    await this.type("Username or email", username);
    await this.type("Password", this.world.people[username].password);
    await this.press("Sign in");
    await this.page.waitForSelector("#content");
  }

  /** card is the part of "My tokens" about one token. */
  card(label) {
    return new Within(this.page, `//section[starts-with(@aria-label, "${label} ")]`);
  }
}
