// What axe-core finds where a flow asks or stops, and in the dialogs of the administration. Agent and server are real;
// what they would answer to in no healthy installation is answered in their place.
import assert from "node:assert/strict";
import { accessiblePart } from "./harness/accessible.mjs";
import { act, choosePin, dialog, hold } from "./harness/flows.mjs";
import { gone, see, suite } from "./harness/suite.mjs";
import { settled } from "./harness/visitor.mjs";

const serial = "20260041";
const { test } = suite({ tokens: [serial], agent: true }, async (world) => {
  await world.token(serial, { owner: "carol", label: "Work key" });
  await world.command("enroll", serial, "carol");
});

/** refusal is an answer of the agent or the server that says no. */
function refusal(code, more = {}) {
  const detail = "It was refused, for a reason that stands here.";
  return { status: 409, json: { code, status: 409, title: "Refused", detail, request_id: "01TESTREQUEST", ...more } };
}

/**
 * standIn answers requests of a page in place of agent and server. say gives what: for the end of a path what
 * route.fulfill takes, or a function of the route. What was not said goes through.
 */
async function standIn(page) {
  let said = {};
  const lies = (url) => Object.keys(said).find((end) => url.pathname.endsWith(end));
  await page.route(
    (url) => lies(url) !== undefined,
    async (route) => {
      const answer = said[lies(new URL(route.request().url()))];
      await (typeof answer === "function" ? answer(route) : route.fulfill(answer));
    },
  );
  return (answers = {}) => {
    said = answers;
  };
}

/** changed has a request answered, and the answer changed. */
const changed = (change) => async (route) => {
  const response = await route.fetch();
  await route.fulfill({ response, json: change(await response.json()) });
};

/** open goes to the token's page, and waits until the agent is there. */
async function open(visitor, username) {
  await visitor.signIn(username, `/tokens/${serial}`);
  await see(visitor.page.getByText("Agent connected"));
}

/** begin opens a flow's dialog, by its button or from the menu. */
async function begin(page, name) {
  await act(page, name);
  await dialog(page).locator(":focus").first().waitFor();
  return dialog(page);
}

async function close(form) {
  await form
    .getByRole("button", { name: /^(Close|Cancel|Done)$/ })
    .last()
    .click();
  await gone(form);
}

const changePin = /^(Choose your|Change|Continue) PIN/;

test("a question in the middle and a stop are accessible", async ({ visitor, page }) => {
  await open(visitor, "carol");
  const say = await standIn(page);
  say({
    "/piv/info": changed((card) => {
      const held = card.slots.find((s) => s.slot === "9a");
      const foreign = { ...held.certificate, serial_number: "ff00ff00ff00ff00" };
      return {
        ...card,
        slots: [...card.slots.filter((s) => s.slot !== "9c"), { ...held, slot: "9c", certificate: foreign }],
      };
    }),
  });
  let form = await begin(page, "New certificate");
  await form.getByRole("radio", { name: /^9c / }).click();
  await form.getByRole("button", { name: "Get certificate" }).click();
  await see(form.getByText("holds a certificate that is not from Keyward"));
  await accessiblePart(page, "running: a question");
  const answers = form.getByRole("alert").getByRole("button");
  assert.deepEqual(await answers.allTextContents(), ["Keep", "Replace"], "what loses nothing comes first");
  await answers.first().click();
  await see(form.getByText("Nothing is lost."));
  await close(form);

  say();
  const held = await hold(page, "**/piv/probe");
  form = await begin(page, changePin);
  await choosePin(form, "739184");
  await form.getByRole("button", { name: "Change PIN" }).click();
  await held.reached;
  await form.getByRole("button", { name: "Stop" }).click();
  await see(form.getByText("Stopping after this step"));
  await accessiblePart(page, "running: stopping");
  held.release();
  await see(form.getByText("Nothing is lost."));
  await accessiblePart(page, "stopped by the person");
  await close(form);
});

const none = { "/piv/probe": { json: { match: null, tried: 99, retries_left: 2 } } };
const probe = (code) => ({ "/piv/probe": refusal(code) });
const setPin = (code, more) => ({ "/piv/set-pin": refusal(code, more) });
const notReady = { json: { ready: false, reasons: ["owner_disabled", "ca_expired"] } };

/** Where flows stop: what is said, which flow, the answers, and the way out that asks something of its own. */
const stops = [
  ["The token's PIN is none of those", changePin, none, "Enter PIN"],
  ["The token's PUK is none of those", "Unblock PIN", none, "Reset tries"],
  ["This token can't get a certificate right now", "New certificate", { "/signing-readiness": notReady }],
];

test("where a flow stops, the ways out are accessible", async ({ visitor, page }) => {
  await open(visitor, "carol");
  const say = await standIn(page);
  // What the card says is asked once: it does not change, and the token takes its time.
  const replay = {};
  const kept = {};
  for (const path of ["/piv/info", "/piv/check-defaults"]) {
    replay[path] = async (route) => {
      kept[path] ??= await (await route.fetch()).json();
      await route.fulfill({ json: kept[path] });
    };
  }
  for (const [said, flow, answers, way] of stops) {
    say({ ...replay, ...answers });
    const form = await begin(page, flow);
    if (flow !== "New certificate") await choosePin(form, "739184", /^(Your|New) PIN$/);
    await form.getByRole("button", { name: /^(Change PIN|Unblock PIN|Get certificate)$/ }).click();
    await see(form.getByRole("alert").getByText(said));
    await accessiblePart(page, `stopped: ${said}`);
    if (way) {
      await form.getByRole("button", { name: way }).click();
      await gone(form.getByRole("alert"));
      await accessiblePart(page, `asking: ${way}`);
    }
    await close(form);
  }
  // A PIN that the person types, and that is not the card's.
  say({ ...replay, ...none });
  const form = await begin(page, changePin);
  await choosePin(form, "739184");
  await form.getByRole("button", { name: "Change PIN" }).click();
  await form.getByRole("button", { name: "Enter PIN" }).click();
  say({ ...replay, ...probe("retries_low"), ...setPin("wrong_pin", { retries_left: 2 }) });
  await form.getByLabel("Current PIN").fill("111222");
  await choosePin(form, "739184");
  await form.getByRole("button", { name: "Set PIN" }).click();
  await see(form.getByText("That is not this token's PIN."));
  await accessiblePart(page, "stopped: a wrong PIN");
  // What the card said of its tries when it refused, the picture says too.
  await see(form.getByText("2 tries are left."));
  await see(form.getByRole("img", { name: /2 PIN tries left/ }));
  // Who leaves the last try alone is told so, and that nothing was tried.
  await form.getByRole("button", { name: "Enter PIN" }).click();
  say({ ...replay, "/piv/info": { json: { ...kept["/piv/info"], pin_retries: 1 } } });
  await form.getByLabel("Current PIN").fill("111222");
  await form.getByRole("button", { name: "Set PIN" }).click();
  await see(form.getByText("Only one PIN try is left."));
  const answers = form.getByRole("alert").getByRole("button");
  assert.deepEqual(await answers.allTextContents(), ["Don't try", "Use a try"], "what loses nothing comes first");
  const looks = await Promise.all([0, 1].map((i) => answers.nth(i).getAttribute("data-variant")));
  assert.notEqual(looks[0], "default", "what loses nothing is the main button");
  assert.equal(looks[1], "default");
  await answers.first().click();
  await see(form.getByText("You chose not to use another try."));
});

test("what another program holds, or left in a slot, is told as that", async ({ visitor, page }) => {
  const say = await standIn(page);
  say({ "/discover": { json: { tokens: [], in_use: [{ reader: "Yubico YubiKey OTP+FIDO+CCID 00 00" }] } } });
  await open(visitor, "carol");
  await see(page.getByText("Another program is using a token"));
  await accessiblePart(page, "a token in use elsewhere", "main");
  const junk = (s) => (s.slot === "9c" ? { ...s, unreadable: true } : s);
  say({ "/piv/info": changed((card) => ({ ...card, slots: card.slots.map(junk) })) });
  await see(page.getByText("holds something that is no certificate"));
  await gone(page.getByText("Another program is using a token"));
});

test("the dialogs of the administration are accessible", async ({ world, visitor, page }) => {
  await visitor.signIn("admin", "/admin/people");
  const main = page.getByRole("main");
  const opens = async (path, name, what) => {
    if (new URL(page.url()).pathname !== path) await page.goto(path);
    await settled(page);
    await main.getByRole("button", { name }).first().click();
    await dialog(page).locator(":focus").first().waitFor();
    await accessiblePart(page, what);
    return dialog(page);
  };
  await close(await opens("/admin/people", "Add person", "add a person"));
  await main
    .getByRole("link", { name: "dave" })
    .or(main.getByRole("button", { name: "dave" }))
    .first()
    .click();
  await see(main.getByRole("heading", { name: "Sessions" }));
  await settled(page);
  await main.getByRole("button", { name: "Edit" }).click();
  await dialog(page).locator(":focus").first().waitFor();
  await accessiblePart(page, "a person's details");
  await close(dialog(page));
  await close(await opens("/admin/organizations", "Add organization", "add an organization"));
  await close(await opens("/admin/tokens", "Register token", "register a token"));
  await main.getByRole("checkbox", { name: `Select ${serial}` }).check();
  await page.getByRole("button", { name: "Assign", exact: true }).click();
  await dialog(page).locator(":focus").first().waitFor();
  await accessiblePart(page, "assign tokens");
  await page.goto("/admin/audit");
  const entry = main.getByRole("button", { name: /^Details of entry/ }).first();
  await entry.click();
  await accessiblePart(page, "an entry of the audit log", "main");

  let form = await opens("/admin/webhooks", "Create webhook", "create a webhook");
  await form.getByLabel("Receiver's address").fill("https://siem.acme.example/hook");
  await form.getByRole("button", { name: "Create webhook" }).click();
  await see(page.getByRole("dialog", { name: "Your webhook is ready" }));
  await accessiblePart(page, "a webhook's secret");
  await dialog(page).getByRole("button", { name: "I have saved it" }).click();

  form = await opens("/admin/api-keys", "Create key", "create an API key");
  await form.getByLabel("Name").fill("Inventory");
  await form.getByRole("radio", { name: "All organizations" }).check();
  await page.route(
    "**/api/admin/api-keys",
    (route) => route.fulfill({ ...refusal("reauthentication_required"), status: 403 }),
    {
      times: 1,
    },
  );
  await form.getByRole("button", { name: "Create key" }).click();
  const again = page.getByRole("dialog", { name: "Confirm it's you" });
  await see(again);
  await accessiblePart(page, "the question for the password");
  await again.getByLabel("Password", { exact: true }).fill(world.people.admin.password);
  await again.getByRole("button", { name: "Confirm" }).click();
  await see(page.getByRole("dialog", { name: "Your new key" }));
  await accessiblePart(page, "a key that is shown once");
});
