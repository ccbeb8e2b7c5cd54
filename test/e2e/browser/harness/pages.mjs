const everybody = ["global_admin", "org_manager", "user"];
const managers = ["global_admin", "org_manager"];
const admins = ["global_admin"];

/**
 * pages are all pages of a signed-in person: where, what the navigation calls
 * it (none: it is not there), and whose they are. A test compares them with
 * the routes.
 */
export const pages = [
  { path: "/", name: "Overview", roles: everybody, listed: everybody },
  { path: "/tokens", name: "My tokens", roles: everybody, listed: everybody },
  { path: "/tokens/$serial", name: "Token", roles: everybody, listed: [] },
  { path: "/tokens/$serial/replace", name: "Replacement", roles: managers, listed: [] },
  { path: "/certificates", name: "Certificates", roles: everybody, listed: everybody },
  { path: "/certificates/$serial", name: "Certificate", roles: everybody, listed: [] },
  { path: "/profile", name: "Profile and sessions", roles: everybody, listed: [] },
  { path: "/admin/desk", name: "Desk", roles: managers, listed: managers },
  { path: "/admin/tokens", name: "Tokens", roles: managers, listed: managers },
  { path: "/admin/tokens/import", name: "Import", roles: managers, listed: [] },
  { path: "/admin/people", name: "People", roles: managers, listed: managers },
  { path: "/admin/people/$id", name: "Person", roles: managers, listed: [] },
  { path: "/admin/people/import", name: "Import of people", roles: managers, listed: [] },
  { path: "/admin/organizations", name: "Organizations", roles: admins, listed: admins },
  { path: "/admin/organizations/$id", name: "Organization", roles: managers, listed: [] },
  { path: "/admin/profiles", name: "Certificate profiles", roles: admins, listed: admins },
  { path: "/admin/profiles/$name", name: "Certificate profile", roles: admins, listed: [] },
  { path: "/admin/cas", name: "Certificate authority", roles: admins, listed: admins },
  { path: "/admin/audit", name: "Audit", roles: everybody, listed: managers },
  { path: "/admin/compliance", name: "Compliance", roles: managers, listed: managers },
  { path: "/admin/api-keys", name: "API keys", roles: managers, listed: managers },
  { path: "/admin/webhooks", name: "Webhooks", roles: managers, listed: managers },
  { path: "/admin/webhooks/$id", name: "Webhook", roles: managers, listed: [] },
  { path: "/system/health", name: "Health", roles: admins, listed: admins },
  { path: "/system/backups", name: "Backups", roles: admins, listed: admins },
  { path: "/system/license", name: "License", roles: admins, listed: admins },
  { path: "/system/mail", name: "Mail", roles: admins, listed: admins },
  { path: "/system/settings", name: "Settings", roles: admins, listed: admins },
];

/** at gives a page's address for one thing: shown names a token's serial, a certificate, a person, an organization and a webhook. */
export function at(path, shown) {
  return path
    .replace("/tokens/$serial", `/tokens/${shown.serial}`)
    .replace("/certificates/$serial", `/certificates/${shown.certificate}`)
    .replace("/profiles/$name", "/profiles/logon")
    .replace("/people/$id", `/people/${shown.person}`)
    .replace("/organizations/$id", `/organizations/${shown.organization}`)
    .replace("$id", shown.webhook);
}

/** someone of each role. */
export const someone = { global_admin: "admin", org_manager: "mia", user: "carol" };
