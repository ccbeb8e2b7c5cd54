// How the running server hands out the pages: what has a hash in its name is kept for ever and comes compressed, the
// page itself is never kept.
import assert from "node:assert/strict";
import { request } from "node:http";
import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const { test } = suite();

/** get asks without what fetch does by itself: it would unpack the answer. */
function get(url, coding) {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { "Accept-Encoding": coding } }, async (response) => {
      const chunks = [];
      for await (const chunk of response) chunks.push(chunk);
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks) });
    });
    asked.on("error", reject).end();
  });
}

const unpack = { br: brotliDecompressSync, gzip: gunzipSync, identity: (body) => body };

test("scripts and styles have a hash in their name, are compressed beforehand, and are kept for ever", async ({
  world,
  visitor,
  page,
}) => {
  await visitor.signIn("admin");
  await settled(page);
  const own = visitor.requests.map((r) => new URL(r.url)).filter((u) => u.origin === world.site);
  const files = [...new Set(own.map((u) => u.pathname))].filter((p) => /\.(js|css|woff2?)$/.test(p));
  assert.ok(files.some((f) => f.endsWith(".js")) && files.some((f) => f.endsWith(".css")), `only ${files}`);
  for (const file of files) {
    assert.match(file, /^\/assets\/[\w.-]+-[\w-]{8}\.(js|css|woff2?)$/);
    const plain = await get(world.site + file, "identity");
    for (const coding of ["br", "gzip", "identity"]) {
      const { status, headers, body } = await get(world.site + file, coding);
      assert.equal(status, 200, file);
      assert.equal(headers["cache-control"], "public, max-age=31536000, immutable", file);
      const packed = headers["content-encoding"] ?? "identity";
      // Where packing saves nothing, the file comes as it is.
      if (plain.body.length > 1000 && /\.(js|css)$/.test(file)) assert.equal(packed, coding, file);
      assert.equal(Number(headers["content-length"]), body.length, `${file}: it is packed while it is sent`);
      assert.ok(unpack[packed](body).equals(plain.body), `${file} as ${coding} is another file`);
    }
  }
});

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

test("no address gives a page that may be kept, however it is asked for", async ({ world }) => {
  for (const path of ["/", "/index.html", "/login", "/tokens/1", "/no/such/page"]) {
    for (const coding of ["br, gzip", "identity"]) {
      const { status, headers } = await get(world.site + path, coding);
      assert.equal(status, path.startsWith("/no/") ? 404 : 200, path);
      assert.equal(headers["cache-control"], "no-store", path);
      assert.equal(headers.etag, undefined, path);
    }
  }
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
  const icon = await get(`${world.site}/favicon.ico`, "identity");
  assert.deepEqual([icon.status, icon.headers["content-type"]], [200, "image/x-icon"]);

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
