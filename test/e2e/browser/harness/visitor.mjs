import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

/**
 * openBrowser starts Debian's chromium, or the one that CHROMIUM names, with a new profile. more: further flags. The
 * shell without windows is the same engine at little more than half the processor time.
 */
export function openBrowser(...more) {
  return launch(process.env.CHROMIUM ?? "/usr/bin/chromium-headless-shell", more);
}

/** openWholeBrowser starts the one that people have: the shell knows no permission for the local network. */
export function openWholeBrowser(...more) {
  return launch(process.env.CHROMIUM ?? "/usr/bin/chromium", more);
}

async function launch(executablePath, more) {
  if (!existsSync(executablePath)) {
    const name = executablePath.split("/").at(-1);
    throw new Error(`${executablePath} is missing: apt-get install ${name}, or say with CHROMIUM where it is`);
  }
  const root = process.getuid?.() === 0;
  return chromium.launch({ executablePath, args: [...(root ? ["--no-sandbox"] : []), ...more] });
}

/**
 * Visitor is a person at a browser of their own: cookies, storage, tabs. It
 * notes what no page of ours may do, in any test: a script error, a breach of
 * the Content-Security-Policy, a request to a third host.
 */
export class Visitor {
  #allowed = [];
  /** What the pages did wrong. */
  complaints = [];
  /** All requests so far: {method, url}. */
  requests = [];

  /** open gives a visitor who wants less motion, unless options say else: drawing it is most of a browser's work here. */
  static async open(browser, world, options = {}) {
    const context = await browser.newContext({
      baseURL: world.site,
      locale: "en-GB",
      reducedMotion: "reduce",
      ...options,
    });
    context.setDefaultTimeout(120_000); // ms; shorter than a test may take, so that the failure says what never came
    const visitor = new Visitor();
    visitor.world = world;
    visitor.context = context;
    visitor.#watch();
    visitor.page = await context.newPage();
    return visitor;
  }

  #watch() {
    const own = [new URL(this.world.site).origin, new URL(this.world.agentURL).origin];
    this.context.on("request", (request) => {
      const url = request.url();
      this.requests.push({ method: request.method(), url });
      if (/^(data|blob|about):/.test(url) || own.includes(new URL(url).origin)) return;
      this.complaints.push(`a request to a third host: ${url}`);
    });
    this.context.on("weberror", (e) => this.complaints.push(`a script failed: ${e.error().stack ?? e.error()}`));
    this.context.on("console", (message) => {
      // The browser's own line for each answer that is a refusal.
      if (!["error", "warning"].includes(message.type()) || /^Failed to load resource/.test(message.text())) return;
      this.complaints.push(`the console says: ${message.text()}`);
    });
  }

  /** allow names complaints that a test provokes. */
  allow(...patterns) {
    this.#allowed.push(...patterns);
  }

  /** check fails when there was something to complain about. */
  check() {
    const found = this.complaints.filter((c) => !this.#allowed.some((pattern) => pattern.test(c)));
    if (found.length > 0) throw new Error(`the pages did what none may do:\n${[...new Set(found)].join("\n")}`);
  }

  /**
   * signIn signs in as the page does, but without the form (signin.test.mjs fills that in), and goes to a page. The
   * cookies come with the answer, and the page renews by them.
   */
  async signIn(username, path = "/", page = this.page) {
    const agent = await page.evaluate(() => navigator.userAgent);
    const answer = await this.context.request.post("/api/auth/login", {
      headers: { "X-Keyward-Client": "web", "User-Agent": agent, Origin: new URL(this.world.site).origin },
      data: { username, password: this.world.people[username].password },
    });
    if (!answer.ok()) throw new Error(`${username} can't sign in: ${answer.status()} ${await answer.text()}`);
    await page.goto(path);
    await page.locator("#content").waitFor();
  }

  /** signInByForm goes to a page and signs in on the way, as a person does. */
  async signInByForm(username, path = "/", page = this.page) {
    await page.goto(path);
    await fillIn(page, username, this.world.people[username].password);
    await page.locator("#content").waitFor();
  }
}

/** fillIn fills in the sign-in form and sends it. */
export async function fillIn(page, username, password) {
  await page.getByLabel("Username or email").fill(username);
  await page.getByLabel("Password", { exact: true }).fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
}

/** settled waits until a page shows its content: a heading, and nothing that still loads. */
export async function settled(page) {
  await page.getByRole("heading").or(page.getByRole("alert")).or(page.getByText("404")).first().waitFor();
  const loading = "main .mantine-Skeleton-root, main .mantine-Loader-root, main [aria-busy=true]";
  await page.waitForFunction((what) => ![...document.querySelectorAll(what)].some((e) => e.checkVisibility()), loading);
}
