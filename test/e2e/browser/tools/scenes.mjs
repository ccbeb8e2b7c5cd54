import { pages } from "../harness/pages.mjs";

function nameOf(path) {
  return path === "/" ? "overview" : path.slice(1).replaceAll("/", "-").replace(/\$\w+/, "one");
}

/** What a person sees who is signed in as whoever fits the page best. */
const personal = ["/", "/tokens", "/tokens/$serial", "/certificates", "/profile"];

/** What a manager sees otherwise than an administrator. */
const managed = ["/", "/admin/tokens", "/admin/people", "/admin/audit", "/admin/compliance"];

/** press presses the button whose name fits, in either language. */
const press = (name) => (page) => page.getByRole("button", { name }).first().click();
const tab = (name) => (page) => page.getByRole("tab", { name }).click();

/** inDialog finds the open dialog by its name. */
const inDialog = (name) => (page) => page.getByRole("dialog", { name });
/** said finds a text. */
const said = (text) => (page) => page.getByText(text).first();
const noMatches = said(/^(No matches|Keine Treffer)/);

/** upload gives an import its file. */
const upload = (name, ...lines) => {
  const file = { name, mimeType: "text/csv", buffer: Buffer.from(`${lines.join("\n")}\n`) };
  return (page) => page.locator("input[type=file]").setInputFiles(file);
};
const newTokens = upload(
  "tokens.csv",
  "serial,label,model,firmware_version,form_factor,owner,organization",
  "40100201,Work,YubiKey 5C NFC,5.7.4,USB-C,carol,Acme",
  "40100202,Laptop,YubiKey 5 NFC,5.7.4,USB-A,,Acme",
  "40100203,Desk,YubiKey 5 NFC,5.7.4,USB-A,nobody.at.all,Acme",
  "not a number,,,,,,Acme",
);
const newPeople = upload(
  "people.csv",
  "username,name,email,role,organization",
  "ines.moreau,Inès Moreau,ines.moreau@acme.example,user,Acme",
  "carol,Carol Whitaker,carol@acme.example,user,Acme",
  "piotr.zielinski,Piotr Zieliński,piotr.zielinski@acme.example,superuser,Acme",
);

/** What stands behind buttons and tabs. shows: what is there only once it is open. */
const opened = [
  { name: "find", path: "/", open: find("Weber"), shows: (page) => page.getByRole("option").first() },
  {
    name: "admin-tokens-selected",
    path: "/admin/tokens",
    open: selectAll,
    shows: (page) => page.getByRole("region", { name: /^(With the selected|Mit den ausgewählten)/ }),
  },
  { name: "admin-tokens-filtered", path: "/admin/tokens?q=weber", shows: (page) => page.locator("tbody tr").first() },
  {
    name: "admin-tokens-columns",
    path: "/admin/tokens",
    open: press(/^(Columns|Spalten)/),
    shows: (page) => page.getByRole("checkbox", { name: /^(Model|Modell)$/ }),
    views: /wide|german/,
  },
  { name: "admin-tokens-none", path: "/admin/tokens?q=zzzz", shows: noMatches },
  { name: "admin-tokens-preview", path: "/admin/tokens/import", open: newTokens, shows: said(/^(Preview|Vorschau)$/) },
  { name: "admin-people-preview", path: "/admin/people/import", open: newPeople, shows: said(/^(Preview|Vorschau)$/) },
  { name: "admin-people-none", path: "/admin/people?q=zzzz", shows: noMatches },
  {
    name: "admin-people-add",
    path: "/admin/people",
    open: press(/^(Add person|Person anlegen)/),
    shows: inDialog(/^(Add person|Person anlegen)/),
  },
  {
    name: "admin-people-one",
    path: "/admin/people",
    open: (page) => page.locator("tbody a").first().click(),
    shows: (page) => page.getByRole("heading", { name: /^(Sessions|Sitzungen)$/ }),
  },
  {
    name: "admin-webhooks-add",
    path: "/admin/webhooks",
    open: press(/^(Create webhook|Webhook anlegen)/),
    shows: inDialog(/^(Create a webhook|Webhook anlegen)/),
  },
  {
    name: "admin-keys-add",
    path: "/admin/api-keys",
    open: press(/^(Create key|Schlüssel anlegen)/),
    shows: inDialog(/^(Create an API key|API-Schlüssel anlegen)/),
  },
  {
    name: "admin-organizations-add",
    path: "/admin/organizations",
    open: press(/^(Add organization|Organisation anlegen)/),
    shows: inDialog(/^(Add organization|Organisation anlegen)/),
  },
  { name: "admin-compliance-print", path: "/admin/compliance", media: "print", views: /light-wide|german/ },
  {
    name: "certificates-selected",
    path: "/certificates",
    open: selectAll,
    shows: (page) => page.getByRole("region", { name: /^(With the selected|Mit den ausgewählten)/ }),
  },
  {
    name: "backups-history",
    path: "/system/backups",
    open: tab(/^(History|Verlauf)/),
    shows: (page) => page.getByRole("tab", { name: /^(History|Verlauf)/, selected: true }),
  },
  {
    name: "backups-settings",
    path: "/system/backups",
    open: tab(/^(Settings|Einstellungen)/),
    shows: said(/^(Days to keep backups|Aufbewahrung)/),
  },
  { name: "mail-sent", path: "/system/mail?status=sent", shows: (page) => page.locator("tbody tr").first() },
  {
    name: "token-more",
    path: "/tokens/$serial",
    as: "carol",
    open: press(/^(More actions|Weitere Aktionen)/),
    shows: (page) => page.getByRole("menuitem").first(),
  },
  {
    name: "token-pin",
    path: "/tokens/$serial",
    as: "carol",
    open: press(/^(Choose your PIN|Eigene PIN wählen)/),
    shows: (page) => page.getByRole("dialog").locator("input").first(),
  },
  {
    name: "certificate-revoke",
    path: "/certificates/$serial",
    open: press(/^(Revoke|Widerrufen)/),
    shows: inDialog(/^(Revoke the certificate of|Zertifikat von .* widerrufen)/),
  },
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

/**
 * scenes are what pictures are taken of: where, who looks, what happens before, what is pressed there, what shows that
 * it is open, whether it is on paper, and in which views alone it is there.
 */
export const scenes = [
  { name: "login", path: "/login" },
  { name: "admin-login", path: "/admin-login" },
  { name: "not-found", path: "/no/such/page" },
  ...personal.map((path) => ({ name: `carol-${nameOf(path)}`, path, as: "carol" })),
  ...pages.map(({ path }) => ({ name: nameOf(path), path, as: "admin" })),
  ...opened.map((scene) => ({ as: "admin", ...scene })),
  ...managed.map((path) => ({ name: `manager-${nameOf(path)}`, path, as: "mia" })),
  {
    name: "refused",
    path: "/system/settings",
    as: "carol",
    shows: said(/^(Your role doesn't have access|Ihre Rolle hat keinen Zugriff)/),
  },
  { name: "lost", path: "/no/such/page", as: "carol" },
  { name: "blank-token", path: "/tokens/20260002", as: "carol" },
  { name: "agent-missing", path: "/tokens", as: "carol", before: (world) => world.agent.stop() },
];
