import { pages } from "../harness/pages.mjs";

function nameOf(path) {
  return path === "/" ? "overview" : path.slice(1).replaceAll("/", "-").replace(/\$\w+/, "one");
}

/** What a person sees who is signed in as whoever fits the page best. */
const personal = ["/", "/tokens", "/tokens/$serial", "/certificates", "/profile"];

/** press presses the button whose name fits, in either language. */
const press = (name) => (page) => page.getByRole("button", { name }).first().click();
const tab = (name) => (page) => page.getByRole("tab", { name }).click();

/** What stands behind buttons and tabs. */
const opened = [
  { name: "find", path: "/", open: find("Weber") },
  { name: "admin-tokens-selected", path: "/admin/tokens", open: selectAll },
  { name: "admin-tokens-filtered", path: "/admin/tokens?q=weber" },
  { name: "admin-tokens-columns", path: "/admin/tokens", open: press(/^(Columns|Spalten)/) },
  { name: "admin-tokens-none", path: "/admin/tokens?q=zzzz" },
  { name: "admin-people-add", path: "/admin/people", open: press(/^(Add person|Person anlegen)/) },
  { name: "admin-people-one", path: "/admin/people", open: (page) => page.locator("tbody a").first().click() },
  { name: "admin-webhooks-add", path: "/admin/webhooks", open: press(/^(Create webhook|Webhook anlegen)/) },
  { name: "admin-keys-add", path: "/admin/api-keys", open: press(/^(Create key|Schlüssel anlegen)/) },
  {
    name: "admin-organizations-add",
    path: "/admin/organizations",
    open: press(/^(Add organization|Organisation anlegen)/),
  },
  { name: "certificates-selected", path: "/certificates", open: selectAll },
  { name: "backups-history", path: "/system/backups", open: tab(/^(History|Verlauf)/) },
  { name: "backups-settings", path: "/system/backups", open: tab(/^(Settings|Einstellungen)/) },
  {
    name: "token-renew",
    path: "/tokens/$serial",
    as: "carol",
    open: press(/^(Change certificate|New certificate|Renew|Neues Zertifikat|Erneuern)/),
  },
  { name: "token-pin", path: "/tokens/$serial", as: "carol", open: press(/^(Choose your PIN|Eigene PIN wählen)/) },
  { name: "certificate-revoke", path: "/certificates/$serial", open: press(/^(Revoke|Widerrufen)/) },
];

function find(text) {
  return async (page) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("dialog").getByRole("combobox").fill(text);
    await page.getByRole("option").first().waitFor();
    await page.waitForTimeout(1500); // each kind answers for itself
  };
}

async function selectAll(page) {
  await page
    .getByRole("checkbox", { name: /^(Select all|Alle)/ })
    .first()
    .check();
}

/** scenes are what pictures are taken of: where, who looks, what happens before, and what is pressed there. */
export const scenes = [
  { name: "login", path: "/login" },
  { name: "admin-login", path: "/admin-login" },
  { name: "not-found", path: "/no/such/page" },
  ...personal.map((path) => ({ name: `carol-${nameOf(path)}`, path, as: "carol" })),
  ...pages.map(({ path }) => ({ name: nameOf(path), path, as: "admin" })),
  ...opened.map((scene) => ({ as: "admin", ...scene })),
  { name: "manager-overview", path: "/", as: "mia" },
  { name: "manager-tokens", path: "/admin/tokens", as: "mia" },
  { name: "refused", path: "/system/settings", as: "carol" },
  { name: "blank-token", path: "/tokens/20260002", as: "carol" },
  { name: "agent-missing", path: "/tokens", as: "carol", before: (world) => world.agent.stop() },
];
