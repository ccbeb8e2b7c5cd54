import assert from "node:assert/strict";
import { createServer } from "node:http";
import { at, pages } from "./harness/pages.mjs";
import { see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const nasty = '<img src=x onerror="document.title=`owned`"><b>';
const serial = "30260002";
const plainSerial = "20260021";
const shown = {};

// The organization's name and the labels stand in lists, pages, reports and
// the audit log. A username takes no such characters; the server sees to that.
const { test } = suite({ tokens: [plainSerial], agent: true }, async (world) => {
  const { id } = await world.admin.post("/api/admin/organizations", { name: nasty });
  world.organizations.Nasty = { id };
  await world.person("nora", { role: "org_manager", of: "Nasty" });
  await world.person("nick", { of: "Nasty" });
  await world.token(serial, { owner: "nick", of: "Nasty", label: nasty, model: nasty, form_factor: nasty });
  await world.token(plainSerial, { owner: "nick", of: "Nasty", label: nasty });
  await world.command("enroll", plainSerial, "nick");
  await world.admin.post("/api/admin/api-keys", { name: nasty, role: "org_manager", organization_id: id });
  const hook = await world.admin.post("/api/admin/webhooks", {
    url: "https://hooks.example/?q=%3Cimg%20src=x%20onerror=alert(1)%3E",
    actions: ["hwkey."],
    description: nasty,
    organization_id: id,
  });
  const { items } = await world.admin.get("/api/certificates");
  Object.assign(shown, {
    serial,
    certificate: items[0].serial_number,
    webhook: hook.id,
    person: world.people.nick.id,
    organization: id,
  });
});

for (const name of ["admin", "nora", "nick"]) {
  test(`a tour of all pages as ${name}: what people typed is text, and the policy is never broken`, async ({
    world,
    visitor,
    page,
  }) => {
    await visitor.signIn(name);
    const role = world.people[name].role;
    for (const { path } of pages.filter((p) => p.roles.includes(role))) {
      await page.goto(at(path, shown));
      await settled(page);
      assert.equal(await page.locator('img[src="x"]').count(), 0, `${path}: a label became an element`);
      assert.notEqual(await page.title(), "owned", `${path}: a label ran`);
    }
    if (name === "nick") return;
    await page.goto(`/admin/tokens?q=${serial}`);
    await see(page.getByText(nasty).and(page.locator(":visible")).first());
  });
}

for (const [what, without] of [
  ["a script that gets into the page does not run", null],
  [
    "nor does it by the sources of scripts alone, without Trusted Types",
    /; (require-trusted-types-for|trusted-types) [^;]*/g,
  ],
  ["without a policy each of these scripts would run", /.+/],
]) {
  test(what, async ({ visitor, page }) => {
    visitor.allow(/Content Security Policy|Trusted/);
    if (without) {
      await page.route(
        (url) => url.pathname === "/login",
        async (route) => {
          const response = await route.fetch();
          const headers = response.headers();
          const policy = headers["content-security-policy"];
          headers["content-security-policy"] = policy.replace(without, "");
          assert.notEqual(headers["content-security-policy"], policy);
          await route.fulfill({ response, headers });
        },
      );
    }
    await page.goto("/login");
    await settled(page);
    const { ran, tried } = await page.evaluate(intrude);
    assert.deepEqual(ran, String(without) === "/.+/" ? tried : []);
  });
}

/** intrude runs in the page, as what got into it would: it tries to run more, in every way, and tells what ran. */
async function intrude() {
  const tries = {
    "an inline script": () => {
      const script = document.createElement("script");
      script.textContent = "window.ran = true";
      document.body.append(script);
    },
    "a handler": () => {
      const holder = document.createElement("div");
      holder.innerHTML = '<img src="/favicon.svg?x" onload="window.ran = true">';
      document.body.append(holder);
      return new Promise((resolve) => holder.firstChild.addEventListener("load", resolve));
    },
    "a script from elsewhere": () => {
      const script = document.createElement("script");
      script.src = "data:text/javascript,window.ran=true";
      document.body.append(script);
      return new Promise((resolve) => ["load", "error"].map((end) => script.addEventListener(end, resolve)));
    },
    "a javascript: link": () => {
      const link = document.createElement("a");
      link.href = "javascript:window.ran=true";
      document.body.append(link);
      link.click();
    },
    "a string as code": () => new Function("window.ran = true")(),
  };
  const ran = [];
  for (const [what, attempt] of Object.entries(tries)) {
    try {
      await attempt();
    } catch {
      // refused before it could run, by Trusted Types
    }
    await new Promise((resolve) => requestAnimationFrame(resolve));
    if (window.ran) ran.push(what);
    window.ran = undefined;
  }
  return { ran, tried: Object.keys(tries) };
}

/** foreign serves one page at another site. */
async function foreign(body) {
  const server = createServer((_, response) => response.setHeader("Content-Type", "text/html").end(body));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

test("no page can frame ours", async ({ world, visitor, page }) => {
  visitor.allow(/third host/, /frame-ancestors|Refused to (display|frame)|Framing/);
  const site = await foreign(
    `<h1>Win a prize</h1><iframe src="${world.site}/login" width="400" height="400"></iframe>`,
  );
  try {
    await page.goto(site.url);
    const frame = page.frames().find((f) => f.parentFrame());
    assert.equal(await frame.getByLabel("Password").count(), 0);
    assert.ok(!frame.url().startsWith(world.site), frame.url());
  } finally {
    site.close();
  }
});

test("another site's page cannot act for who is signed in", async ({ world, visitor, page, context }) => {
  visitor.allow(/third host/, /blocked by CORS policy/);
  await visitor.signIn("carol");
  const site = await foreign("<h1>Win a prize</h1>");
  try {
    const other = await context.newPage();
    await other.goto(site.url);
    const outcomes = await other.evaluate(async (target) => {
      const send = async (path, init) => {
        try {
          const response = await fetch(target + path, { method: "POST", credentials: "include", ...init });
          return response.type === "opaque" ? "sent" : response.status;
        } catch {
          return "refused";
        }
      };
      return {
        refresh: await send("/api/auth/refresh", { headers: { "X-Keyward-Client": "web" } }),
        refreshPlain: await send("/api/auth/refresh", { mode: "no-cors" }),
        logout: await send("/api/auth/logout", { headers: { "X-Keyward-Client": "web" } }),
        logoutPlain: await send("/api/auth/logout", { mode: "no-cors" }),
      };
    }, world.site);
    assert.equal(outcomes.refresh, "refused");
    assert.equal(outcomes.logout, "refused");
    // A form is sent without asking first, and with what the browser lets it.
    await other.setContent(`<form method="post" action="${world.site}/api/auth/refresh"><button>Prize</button></form>`);
    const answer = other.waitForResponse("**/api/auth/refresh");
    await other.getByRole("button").click();
    assert.ok((await answer).status() >= 400);
  } finally {
    site.close();
  }
  await page.reload();
  await see(page.getByRole("button", { name: "carol, Menu" }));
  assert.deepEqual(await world.admin.actions("auth.refresh_reuse"), []);
});
