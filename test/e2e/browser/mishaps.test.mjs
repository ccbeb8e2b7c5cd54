import assert from "node:assert/strict";
import { accessible, accessiblePart } from "./harness/accessible.mjs";
import { card, choosePin, dialog, signInToTokens } from "./harness/flows.mjs";
import { folder } from "./harness/program.mjs";
import { eventually, gone, see, suite } from "./harness/suite.mjs";
import { fillIn, openWholeBrowser, Visitor } from "./harness/visitor.mjs";

const serials = ["20260011", "20260012", "20260013", "20260014"];
const [closed, ended, both, pulled] = serials;

const { test } = suite({ tokens: serials, agent: true }, async (world) => {
  await world.token(closed, { owner: "carol", label: "Closed" });
  await world.token(ended, { owner: "dave", label: "Ended" });
  await world.token(pulled, { owner: "dave", label: "Pulled" });
  await world.token(both, { owner: "erin", label: "Both" });
  await world.command("enroll", both, "erin");
});

// What a set-up from the factory's values asks of agent and server that changes
// something, in order, and the choice of the person's own PIN at its end.
const steps = [
  "/piv/probe",
  "/piv/rotate-management-key",
  "/secrets/observations",
  "/piv/set-puk",
  "/piv/set-pin",
  "/piv/generate-csr",
  "/sign-csr",
  "/piv/import-certificate",
  "/installed",
  "/enrolled",
  "/rotations",
  "/commit",
];

test(
  "a tab that is closed at any step strands no token",
  async ({ world, visitor, context }) => {
    const pin = "849207";
    const cutAt = new Set();
    let page = visitor.page;
    await signInToTokens(visitor, "carol", page);
    for (let ended = false; !ended; ) {
      assert.ok(cutAt.size <= steps.length, "it began anew each time");
      const next = await context.newPage();
      const tab = page;
      let hit = "";
      const cut = new Promise((resolve) => {
        tab.route(
          (url) => steps.some((s) => url.pathname.endsWith(s)),
          async (route) => {
            const step = steps.find((s) => new URL(route.request().url()).pathname.endsWith(s));
            if (hit || cutAt.has(step)) return route.continue();
            hit = step;
            await route.fetch(); // it happens, and nobody hears the answer
            resolve(tab.close({ runBeforeUnload: false }));
          },
        );
      });
      const begin = /^(Set up|Continue setup|Choose your PIN|Continue PIN change|Change PIN)$/;
      await card(tab, "Closed").getByRole("button", { name: begin }).click();
      const form = dialog(tab);
      await choosePin(form, pin);
      await form.getByRole("button", { name: /^(Set up|Change PIN)$/ }).click();
      const end = form.getByText(/The token is ready|The new PIN is set/).waitFor();
      ended = await Promise.race([cut.then(() => false), end.then(() => true)]);
      if (ended) break;
      end.catch(() => {}); // the tab is closed
      cutAt.add(hit);
      page = next;
      await page.goto("/tokens");
      await see(page.getByText("Agent connected"));
    }
    // An observation follows a change of the card in the same run, and every such change was cut.
    const must = steps.filter((s) => s !== "/secrets/observations");
    assert.deepEqual(
      must.filter((s) => !cutAt.has(s)),
      [],
      "no tab was closed at these steps",
    );
    const device = await world.admin.get(`/api/hwkey/${closed}`);
    assert.equal(device.status, "active");
    assert.equal(device.secrets.rotation_pending, false);
    assert.equal(device.certificates.length, 1, "a certificate was left behind");
    await world.command("renew", closed, "carol");
  },
  { timeout: 400_000 },
);

test("a session that ends in the middle is begun again over the page, and the set-up goes on", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "dave");
  let out;
  page.on("request", (request) => {
    if (!request.url().endsWith("/piv/set-puk")) return;
    out ??= (async () => {
      const { items } = await world.admin.get(`/api/auth/sessions?user_id=${world.people.dave.id}`);
      for (const s of items.filter((i) => i.active)) await world.admin.delete(`/api/auth/sessions/${s.id}`);
    })();
  });
  await card(page, "Ended").getByRole("button", { name: "Set up" }).click();
  const form = page.getByRole("dialog", { name: /Set up token/ });
  await choosePin(form, "375291");
  await form.getByRole("button", { name: "Set up" }).click();
  const again = page.getByRole("dialog", { name: "Your session has ended" });
  await again.waitFor();
  await out;
  await fillIn(page, "dave", world.people.dave.password);
  await gone(again);
  await see(page.getByText("Agent connected"));
  await form.getByRole("button", { name: /^(Continue|Try again)$/ }).click();
  await form.getByText("The token is ready.").waitFor();
  await world.command("renew", ended, "dave");
});

test("a token that is pulled in the middle goes on where it stopped", async ({ world, visitor, page }) => {
  await signInToTokens(visitor, "dave");
  let out;
  page.on("request", (r) => {
    if (r.url().endsWith("/piv/set-puk")) out ??= world.unplug(pulled);
  });
  await card(page, "Pulled").getByRole("button", { name: "Set up" }).click();
  const form = dialog(page);
  await choosePin(form, "618402");
  await form.getByRole("button", { name: "Set up" }).click();
  // ykman and the agent have their own patience with a reader that went away.
  const goOn = form.getByRole("button", { name: /^(Continue|Try again)$/ });
  await goOn.waitFor();
  await out;
  await accessiblePart(page, "stopped: the token was pulled");
  await world.plug(pulled);
  await goOn.click(); // it waits until the page has seen the token
  await form.getByText("The token is ready.").waitFor();
  await form.getByRole("button", { name: "Done" }).click();
  await world.command("renew", pulled, "dave");
});

test("two tabs that change the PIN at once leave one that works", async ({ world, visitor, page, context }) => {
  await signInToTokens(visitor, "erin");
  const other = await context.newPage();
  await other.goto("/tokens");
  await see(other.getByText("Agent connected"));
  const ends = [];
  for (const [tab, pin] of [
    [page, "613948"],
    [other, "927351"],
  ]) {
    await card(tab, "Both").getByRole("button", { name: /PIN$/ }).first().click();
    await choosePin(dialog(tab), pin);
  }
  for (const tab of [page, other]) {
    await dialog(tab).getByRole("button", { name: "Change PIN" }).click();
    ends.push(
      dialog(tab)
        .getByText(/The new PIN is set|What you can do|Something went wrong/)
        .first()
        .waitFor(),
    );
  }
  await Promise.all(ends);
  for (const tab of [page, other]) {
    const done = dialog(tab).getByText("The new PIN is set");
    // Who was overtaken is told so, and goes on with one click. The card never counts as unknown.
    const overtaken = dialog(tab).getByText(/Someone else has changed|someone else has changed it/);
    const again = dialog(tab).getByRole("button", { name: "Try again" });
    await done.or(overtaken).waitFor();
    if (await again.isVisible()) await again.click();
    await done.waitFor();
  }
  await eventually(
    "no change is open",
    async () => !(await world.admin.get(`/api/hwkey/${both}`)).secrets.rotation_pending,
  );
  await world.command("renew", both, "erin");
});

/** wanted begins a new certificate for a slot, by the use that the page names. */
async function wanted(page, slot) {
  await card(page, "Both").getByRole("button", { name: "New certificate" }).click();
  const form = dialog(page);
  await form.getByRole("radio", { name: new RegExp(`^${slot} `) }).click();
  await form.getByRole("button", { name: "Get certificate" }).click();
  return form;
}

test("a certificate that is cut off on its way into any slot goes on from the overview and from the token's page", async ({
  world,
  visitor,
  page,
}) => {
  const todo = page.getByRole("listitem").filter({ hasText: /new certificate .* was interrupted/ });
  await signInToTokens(visitor, "erin");
  // It was issued, and the card did not get it.
  await page.route("**/piv/import-certificate", (route) => route.abort());
  let form = await wanted(page, "9c");
  await see(form.getByText("The agent on this computer is not responding."));
  await page.unroute("**/piv/import-certificate");
  await page.goto("/");
  await see(todo.getByText("Getting a new certificate for Signature on “Both” was interrupted."));
  await todo.getByRole("link", { name: "Continue" }).click();
  form = page.getByRole("dialog", { name: /^New certificate/ });
  await see(form.getByText("An earlier attempt to get your signature certificate was interrupted."));
  await accessiblePart(page, "asking: go on in a slot");
  await form.getByRole("button", { name: "Continue" }).click();
  await form.getByText("The certificate is on the token.").waitFor();
  await form.getByRole("button", { name: "Done" }).click();
  await gone(page.getByRole("button", { name: /^Continue/ }));
  const { certificates } = await world.admin.get(`/api/hwkey/${both}`);
  const stored = certificates.filter((c) => c.slot === "9c");
  assert.equal(stored.length, 1, "a certificate was left behind");
  assert.ok(stored[0].installed_at);
  // There is a key, and no more: the card alone knows.
  await page.goto("/tokens");
  await see(page.getByText("Agent connected"));
  await page.route("**/sign-csr", (route) => route.abort());
  form = await wanted(page, "9e");
  await form.getByRole("button", { name: "Continue" }).waitFor();
  await page.unroute("**/sign-csr");
  await page.goto("/");
  await see(todo.getByText("Getting a new certificate for Card authentication on “Both” was interrupted."));
  await page.goto(`/tokens/${both}`);
  await see(page.getByRole("button", { name: "Continue with your card reader certificate" }));
});

test("an agent that stops is noticed, and known again when it comes back", async ({ world, visitor, page }) => {
  visitor.allow(/blocked by CORS policy/); // what the browser says of an agent for another site
  await signInToTokens(visitor, "carol");
  await world.agent.stop();
  await see(page.getByRole("heading", { name: "The agent is not responding" }));
  await see(page.getByText(`keyward-agent --origin ${world.site}`));
  await world.startAgent({ origin: "http://elsewhere.example" });
  await see(page.getByRole("heading", { name: "The agent was started for another site" }));
  await world.agent.stop();
  await world.startAgent();
  await see(page.getByText("Agent connected")); // with another key, and nobody is asked
});

test("something else on the agent's port gets nothing before its code is compared", async ({
  world,
  visitor,
  page,
}) => {
  await signInToTokens(visitor, "carol");
  await see(page.getByText("Agent connected"));
  await world.agent.stop();
  const stranger = folder();
  await world.startAgent({ home: stranger });
  await see(page.getByRole("heading", { name: "Compare the agent's code" }));
  const [theirs, own] = [await world.agentCode(stranger), await world.agentCode()];
  assert.notEqual(theirs, own);
  await see(page.getByText(theirs));
  await gone(page.getByText("Agent connected"));
  await accessiblePart(page, "agent: another's code", "main");
  await world.agent.stop();
  await world.startAgent();
  await see(page.getByText("Agent connected"));
  await world.agent.stop();
  await world.startAgent({ home: stranger });
  await see(page.getByText(theirs)); // a new computer: the person has compared
  await page.getByRole("button", { name: "The codes match" }).click();
  await see(page.getByText("Agent connected"));
  await page.goto(`${world.site}/profile`);
  const paired = page.getByRole("region", { name: "Agents" }).or(page.getByRole("main"));
  await see(paired.getByText(theirs));
  await page
    .getByRole("row", { name: theirs })
    .getByRole("button", { name: /Remove/ })
    .click();
  await gone(paired.getByText(theirs));
  await world.agent.stop();
  await world.startAgent(); // for the tests after this
});

test("a browser that blocks the way to the agent is named, with what to do", async ({ world }) => {
  // To this browser the server is one of the internet's, so that the agent lies behind a permission, which a
  // browser without a window refuses at once.
  const { port } = new URL(world.site);
  const site = `http://keyward.example:${port}`;
  const browser = await openWholeBrowser(
    "--host-resolver-rules=MAP *.example 127.0.0.1",
    `--ip-address-space-overrides=127.0.0.1:${port}=public`,
    `--unsafely-treat-insecure-origin-as-secure=${site}`,
  );
  try {
    const visitor = await Visitor.open(browser, world, { baseURL: site });
    await visitor.signInByForm("carol", "/tokens");
    const { page } = visitor;
    await gone(page.getByText("This connection is not encrypted"));
    const ask = page.getByRole("button", { name: "Ask my browser now" });
    const denied = page.getByRole("heading", { name: "Your browser is blocking the agent" });
    await see(ask.or(denied).first());
    if (await ask.isVisible()) await ask.click();
    await see(denied);
    await see(page.getByText("Policy files for managed browsers"));
    await accessiblePart(page, "agent: denied", "main");
    // A browser with a window would ask: the page says so beforehand.
    const asked = await Visitor.open(browser, world, { baseURL: site });
    await asked.page.addInitScript(() => {
      navigator.permissions.query = async () => Object.assign(new EventTarget(), { state: "prompt" });
    });
    await asked.signInByForm("carol", "/tokens");
    await see(asked.page.getByRole("button", { name: "Ask my browser now" }));
    await accessiblePart(asked.page, "agent: the browser will ask", "main");
    const plain = await Visitor.open(browser, world, { baseURL: `http://plain.example:${port}` });
    await plain.page.goto("/login");
    await see(plain.page.getByText("This connection is not encrypted"));
    await accessible(plain.page, "/login without https");
    await plain.signInByForm("carol", "/tokens");
    await see(plain.page.getByText("This connection is not encrypted"));
    await see(plain.page.getByText("This page was opened over plain http"));
    await accessiblePart(plain.page, "agent: a page without https", "main");
  } finally {
    await browser.close();
  }
});
