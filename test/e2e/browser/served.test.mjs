// What a browser asks of the running server, the first time and the second.
import assert from "node:assert/strict";
import { pages } from "./harness/pages.mjs";
import { gone, see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const { test } = suite();

test("the second visit takes all files from the browser's own store, and asks for the page anew", async ({ page }) => {
  await page.goto("/login");
  await settled(page);
  await page.goto("about:blank");
  await page.goto("/login");
  await settled(page);
  const [document, files] = await page.evaluate(() => [
    performance.getEntriesByType("navigation")[0].transferSize,
    performance
      .getEntriesByType("resource")
      .filter((e) => new URL(e.name).pathname.startsWith("/assets/"))
      .map((e) => [e.name, e.transferSize]),
  ]);
  assert.ok(document > 0, "the page came from a store");
  assert.ok(files.length > 1, `only ${files}`);
  assert.deepEqual(
    files.filter(([, size]) => size > 0),
    [],
    "these were sent again",
  );
});

test("a first visit is refused nothing, and loads what the sign-in page needs and no more", async ({ world, page }) => {
  const refused = [];
  const files = [];
  page.on("response", (r) => {
    if (r.status() >= 400) refused.push(`${r.status()} ${r.url()}`);
    const name = /^\/assets\/([\w-]+)-[\w-]{8}\.(js|css|woff2)$/.exec(new URL(r.url()).pathname);
    if (name) files.push(`${name[1]}.${name[2]}`);
  });
  await page.goto("/");
  await page.getByLabel("Username or email").waitFor();
  await page.locator("input[autocomplete~=username]:focus").waitFor(); // one types at once
  await page.evaluate(() => document.fonts.ready);
  await settled(page);
  assert.deepEqual(refused, []);
  assert.deepEqual(files.filter((f) => !f.endsWith(".css")).sort(), [
    "en-first.js",
    "index.js",
    "inter.woff2",
    "libraries.js",
    "rolldown-runtime.js",
  ]);
  const icon = await fetch(`${world.site}/favicon.ico`);
  assert.deepEqual([icon.status, icon.headers.get("content-type")], [200, "image/x-icon"]);

  // The font is ours, and its other half comes with the first name that needs it.
  const shown = () =>
    page.evaluate(() => [...document.fonts].filter((f) => f.status === "loaded" && f.family === "Inter").length);
  assert.equal(await shown(), 1);
  await page.evaluate(async () => {
    document.body.append("Łukasz");
    await document.fonts.load("14px Inter", "Ł");
  });
  assert.equal(await shown(), 2);
  assert.equal(files.at(-1), "inter-ext.woff2");
});

test("while the server is away, the frame stays, and every page opens by itself once it is back", async ({
  visitor,
  page,
  context,
}) => {
  visitor.allow(/ERR_CONNECTION_REFUSED|Unreachable: no answer from the server/);
  await visitor.signIn("admin");
  const listed = pages.filter((p) => p.path !== "/" && p.listed.includes("global_admin"));
  for (const { name } of process.env.TIER === "all" ? listed : listed.slice(-3)) {
    const place = page.getByRole("navigation").getByRole("link", { name, exact: true });
    await context.route("**/*", (route) => route.abort("connectionrefused"));
    await place.dispatchEvent("click"); // without hovering, which would fetch the page beforehand
    await see(page.getByText(/can't be reached|could not be refreshed/).first());
    await see(place);
    await context.unroute("**/*");
    await gone(page.getByText(/can't be reached|could not be refreshed/));
    await see(page.getByRole("main").getByRole("heading", { level: 1 }));
  }
});
