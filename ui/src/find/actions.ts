import type { Me } from "../session/hooks";
import type { Catalogue } from "../text";
import { matches, type Place } from "./kinds";

type Name = keyof Catalogue["find"]["actions"];
type Action = {
  name: Name;
  /** The operation without which nobody can do it. */
  needs?: string;
  to: string;
  search?: Record<string, string>;
  /** Of a token: done on its page, where it is known which one. */
  token?: true;
  /** Nothing to open: the page itself is where it is done. */
  page?: true;
  /** What people call it, in both languages. */
  words: string;
};

const actions: Action[] = [
  {
    name: "unblock",
    to: "/tokens",
    token: true,
    words: "unblock unlock PIN blocked forgot forgotten PUK PIN entsperren gesperrt vergessen",
  },
  { name: "change_pin", to: "/tokens", token: true, words: "change new PIN ändern neue wechseln setzen" },
  { name: "setup", to: "/tokens", token: true, words: "set up setup enroll token start einrichten Token beginnen" },
  {
    name: "renew",
    to: "/tokens",
    token: true,
    words: "renew certificate expired expires Zertifikat erneuern verlängern abgelaufen",
  },
  { name: "certificate", to: "/tokens", token: true, words: "new certificate get neues Zertifikat ausstellen" },
  {
    name: "lost",
    to: "/tokens",
    token: true,
    words: "report token lost stolen missing Token verloren gestohlen melden Verlust",
  },
  {
    name: "replace",
    needs: "bulk-hwkeys",
    to: "/admin/tokens",
    token: true,
    words: "replace token lost broken successor Token ersetzen verloren defekt kaputt Ersatz",
  },
  { name: "reset", to: "/tokens", token: true, words: "reset erase token Token zurücksetzen löschen" },
  {
    name: "take_back",
    needs: "bulk-hwkeys",
    to: "/admin/tokens",
    token: true,
    words: "take back return returned leaver stock Token zurücknehmen zurückgeben Rückgabe Austritt Bestand Lager",
  },
  {
    name: "password",
    to: "/profile",
    page: true,
    words: "change password sign-in Passwort Kennwort ändern Anmeldung",
  },
  { name: "sessions", to: "/profile", page: true, words: "end sessions sign out devices Sitzungen beenden abmelden" },
  {
    name: "register",
    needs: "register-hwkey",
    to: "/admin/tokens",
    words: "register add new token Token registrieren hinzufügen anlegen",
  },
  {
    name: "importTokens",
    needs: "import-hwkeys",
    to: "/admin/tokens/import",
    page: true,
    words: "import tokens CSV Excel file Token importieren Datei",
  },
  {
    name: "addPerson",
    needs: "create-user",
    to: "/admin/people",
    words: "add invite person user account create Person Benutzer Konto anlegen einladen hinzufügen",
  },
  {
    name: "importPeople",
    needs: "import-users",
    to: "/admin/people/import",
    page: true,
    words: "import people users CSV Excel file Personen Benutzer importieren Datei",
  },
  {
    name: "unlock",
    needs: "unlock-user",
    to: "/admin/people",
    search: { state: "locked" },
    page: true,
    words: "unlock locked account password Konto entsperren gesperrt Passwort",
  },
  {
    name: "addOrganization",
    needs: "create-organization",
    to: "/admin/organizations",
    words: "add create organization Organisation anlegen hinzufügen",
  },
  {
    name: "exportAudit",
    needs: "export-audit",
    to: "/admin/audit",
    page: true,
    words: "export audit log Protokoll exportieren prüfen verify seal Siegel",
  },
  {
    name: "apiKey",
    needs: "create-api-key",
    to: "/admin/api-keys",
    words: "create new API key API-Schlüssel anlegen neuer",
  },
  {
    name: "webhook",
    needs: "create-webhook",
    to: "/admin/webhooks",
    words: "create new webhook Webhook anlegen neuer",
  },
  {
    name: "backup",
    needs: "trigger-backup",
    to: "/system/backups",
    words: "back up backup now create Sicherung sichern jetzt anlegen Backup",
  },
  {
    name: "restore",
    needs: "restore-backup",
    to: "/system/backups",
    page: true,
    words: "restore backup Sicherung wiederherstellen Wiederherstellung",
  },
  {
    name: "license",
    needs: "upload-license",
    to: "/system/license",
    page: true,
    words: "upload license licence Lizenz hochladen",
  },
  {
    name: "testMail",
    needs: "test-mail",
    to: "/system/mail",
    page: true,
    words: "send test mail email message SMTP Testnachricht senden E-Mail",
  },
];

type May = (operation: string) => boolean;
type Found = { key: string; name: string; place: Place };

/**
 * found gives the actions that fit what is typed, by their names and by what else people call them. token: the only one
 * that the person can mean, if there is just one.
 */
export function found(typed: string, t: Catalogue, may: May, role: Me["role"], token: string | undefined): Found[] {
  if (typed.trim() === "") return [];
  return actions
    .filter((a) => (a.needs === undefined || may(a.needs)) && !(a.name === "exportAudit" && role === "user"))
    .filter((a) => matches(`${t.find.actions[a.name]} ${a.words}`, typed))
    .map(({ name, to, search, token: ofToken, page }) => ({
      key: `action-${name}`,
      name: t.find.actions[name],
      place: {
        ...(ofToken && token
          ? { to: "/tokens/$serial", params: { serial: token } }
          : { to, ...(search && { search }) }),
        ...(page ? {} : { state: { wish: name } }),
      },
    }));
}
