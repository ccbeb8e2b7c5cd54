import type { Sentences } from "../../sentences";
import { common } from "../common";

/** status is how a token's status reads within a sentence. */
export function status(name = ""): string {
  const said = (common.status as Record<string, string>)[name] ?? name;
  return said.charAt(0).toLowerCase() + said.slice(1);
}

/** Accounts, organizations, tokens on record, keys and webhooks. */
export const records: Sentences = {
  certificates_live: (p) =>
    `Gültige Zertifikate tragen den bisherigen Namen dieses Kontos (${p.count}). Entscheiden Sie, ob sie widerrufen werden oder gültig bleiben, bis sie ablaufen (revoke_certificates).`,
  "conflict/active_by_enrolment": "Ein Token wird durch Einrichten aktiv. Richten Sie ihn ein.",
  "conflict/code_used": "Der Einmalcode wurde schon benutzt. Beginnen Sie Single Sign-on noch einmal.",
  "conflict/email_reserved":
    "Ein Zertifikat auf diese E-Mail-Adresse gilt für ihren früheren Inhaber noch bis {until}. Nehmen Sie eine andere.",
  "conflict/email_taken": "Diese E-Mail-Adresse gehört zu einem anderen Konto. Nehmen Sie eine andere.",
  "conflict/emails_outside":
    "E-Mail-Adressen von Mitgliedern außerhalb dieser Domains: {count}. Ändern Sie zuerst die Adressen oder fügen Sie ihre Domains hinzu.",
  "conflict/has_password": "Dieses Konto hat schon ein Passwort. Setzen Sie es stattdessen zurück.",
  "conflict/hwkey_changed":
    "Der Token wurde zurückgesetzt, als verloren gemeldet oder jemand anderem zugewiesen. Laden Sie ihn neu.",
  "conflict/hwkey_exists": "Ein Token mit dieser Seriennummer ist schon registriert.",
  "conflict/hwkey_not_enrollable": (p) => `Dieser Token ist ${status(p.status)}: Er lässt sich nicht einrichten.`,
  "conflict/identity_exists": "Diese Identität hat schon ein Konto.",
  "conflict/invite_disabled": "Dieses Konto ist deaktiviert. Aktivieren Sie es zuerst.",
  "conflict/last_admin":
    "Das ist das letzte aktive Konto eines globalen Administrators. Legen Sie zuerst ein weiteres an.",
  "conflict/name_taken": "Es gibt schon eine Organisation dieses Namens. Wählen Sie einen anderen.",
  "conflict/no_invitation":
    "Dieses Konto meldet sich beim Identitätsanbieter an und braucht keine Einladung. Schicken Sie die Person dorthin.",
  "conflict/no_password":
    "Dieses Konto meldet sich beim Identitätsanbieter an und hat hier kein Passwort. Setzen Sie es dort zurück.",
  "conflict/no_password_console":
    "Dieses Konto meldet sich beim Identitätsanbieter an und hat hier kein Passwort. Setzen Sie es dort zurück, oder legen Sie ein lokales Konto eines Administrators an: keyward admin create-admin.",
  "conflict/own_password": "Das ist Ihr eigenes Konto. Ändern Sie das Passwort mit dem bisherigen in Ihrem Profil.",
  "conflict/owner_account_changed": "Das Konto des Inhabers wurde eben geändert. Laden Sie es neu.",
  "conflict/owner_changed": "Der Inhaber des Tokens wurde eben geändert. Laden Sie den Token neu.",
  "conflict/owner_disabled": "Das Konto des Inhabers ist deaktiviert. Aktivieren Sie es zuerst.",
  "conflict/owner_missing": "Dieser Token hat keinen Inhaber. Weisen Sie ihn zuerst jemandem zu.",
  "conflict/owner_needed": "Weisen Sie den Token zuerst jemandem zu.",
  "conflict/password_just_changed": "Das Passwort wurde eben geändert. Laden Sie das Konto neu.",
  "conflict/reset_before_owner":
    "Ein verlorener oder ausgemusterter Token kann keinen neuen Inhaber bekommen. Setzen Sie ihn zuerst zurück.",
  "conflict/secrets_contended":
    "Jemand anderes ändert gerade die Geheimnisse dieses Tokens. Versuchen Sie es gleich noch einmal.",
  "conflict/secrets_deleted":
    "Der Tresor hat unter dieser Seriennummer gelöschte Geheimnisse. Stellen Sie sie dort zuerst wieder her oder vernichten Sie sie.",
  "conflict/secrets_full":
    "Die Geheimnisse dieses Tokens wurden seit dem letzten Zurücksetzen zu oft geändert. Setzen Sie ihn zurück und richten Sie ihn dann neu ein.",
  "conflict/serial_closed":
    "Diese Seriennummer lässt sich nicht registrieren. Haben Sie diesen Token in der Hand, fragen Sie einen globalen Administrator.",
  "conflict/settings_busy": "Jemand anderes ändert gerade diese Einstellungen. Versuchen Sie es gleich noch einmal.",
  "conflict/settled_otherwise":
    "Über dieses Feld wurde schon anders entschieden. Prüfen Sie, was der Token hat, und melden Sie das.",
  "conflict/sid_reserved":
    "Ein Zertifikat auf diese SID gilt für ihren früheren Inhaber noch bis {until}. Nehmen Sie eine andere.",
  "conflict/sid_taken": "Diese SID gehört zu einem anderen Konto. Nehmen Sie eine andere.",
  "conflict/status_changed": "Der Status des Tokens wurde eben geändert. Laden Sie den Token neu.",
  "conflict/status_unreachable": (p) =>
    `Ein Token, der ${status(p.status)} ist, kann nicht „${status(p.next)}“ werden.`,
  "conflict/stock_by_reset": "Ein Token kommt nur durch Zurücksetzen in den Bestand. Setzen Sie ihn zurück.",
  "conflict/upn_reserved":
    "Ein Zertifikat auf diesen UPN gilt für seinen früheren Inhaber noch bis {until}. Nehmen Sie einen anderen.",
  "conflict/upn_taken": "Dieser UPN gehört zu einem anderen Konto. Nehmen Sie einen anderen.",
  "conflict/username_reserved":
    "Ein Zertifikat auf diesen Benutzernamen gilt für seinen früheren Inhaber noch bis {until}. Wählen Sie einen anderen.",
  "conflict/username_taken": "Dieser Benutzername ist vergeben. Wählen Sie einen anderen.",
  "conflict/webhook_changed": "Jemand anderes hat eben das Geheimnis dieses Webhooks geändert. Laden Sie ihn neu.",
  "conflict/webhook_off": "Der Webhook ist angehalten. Setzen Sie ihn fort und senden Sie dann erneut.",
  "conflict/views_changed": "Jemand anderes hat diese Ansichten eben geändert. Versuchen Sie es noch einmal.",
  "overloaded/event_streams": "Zu viele Personen verfolgen gerade Änderungen. Versuchen Sie es später noch einmal.",
  "rate_limited/event_streams": "Sie verfolgen Änderungen an zu vielen Stellen zugleich. Schließen Sie eine.",
  "conflict/views_full": "Es gibt schon 100 Ansichten. Löschen Sie zuerst eine.",
  "not_found/no_view": "Diese Ansicht gibt es nicht.",
  "permission_denied/view_shared": "Nur Verwalter dürfen ändern, was geteilt ist.",
  "conflict/webhooks_full": "Es gibt schon {max} Webhooks. Mehr sind nicht erlaubt. Löschen Sie zuerst einen.",
  "not_found/no_administrator":
    "Ein solches aktives Konto eines globalen Administrators gibt es in dieser Datenbank nicht. Nennen Sie ein anderes oder legen Sie zuerst eines an: keyward admin create-admin.",
  "not_found/no_agent": "Diesen Agenten gibt es nicht.",
  "not_found/no_api_key": "Diesen API-Schlüssel gibt es nicht.",
  "not_found/no_certificate": "Dieses Zertifikat gibt es nicht.",
  "not_found/no_code": "Diesen Code gibt es nicht.",
  "not_found/no_delivery": "Diese Zustellung gibt es nicht.",
  "not_found/no_hwkey": "Diesen Token gibt es nicht.",
  "not_found/no_invitation": "Diese Einladung gibt es nicht.",
  "not_found/no_notice": "Diesen Hinweis gibt es nicht.",
  "not_found/no_organization": "Diese Organisation gibt es nicht.",
  "not_found/no_refresh_token": "Diese Sitzung gibt es nicht. Melden Sie sich neu an.",
  "not_found/no_rotation": "Diese Änderung der Geheimnisse gibt es bei diesem Token nicht.",
  "not_found/no_round": "Diese Anmeldung beim Anbieter gibt es nicht.",
  "not_found/no_seal": "Noch ist nichts versiegelt.",
  "not_found/no_secrets":
    "Der Tresor hat keine Geheimnisse für diesen Token. Setzen Sie ihn zurück, um neue zu erzeugen.",
  "not_found/no_session": "Diese Sitzung gibt es nicht.",
  "not_found/no_setting": "Diese Einstellung gibt es nicht.",
  "not_found/no_user": "Dieses Konto gibt es nicht.",
  "not_found/no_webhook": "Diesen Webhook gibt es nicht.",
  "not_found/not_own_session":
    "Registrieren Sie den Agenten in Ihrer eigenen Sitzung. Ihre ID steht als session_id in der Antwort auf Ihre Anmeldung.",
  "not_found/rotation_closed": "Diese Änderung der Geheimnisse ist nicht mehr offen. Beginnen Sie eine neue.",
  "not_found/webhook_secret_missing":
    "Der Tresor hat kein Geheimnis für die Signaturen dieses Webhooks. Erzeugen Sie ein neues.",
  "permission_denied/hwkey_out_of_use": (p) => `Dieser Token ist ${status(p.status)}. Fragen Sie einen Administrator.`,
  rotation_pending:
    "Das Ändern der Geheimnisse dieses Tokens wurde unterbrochen. Öffnen Sie den Token und machen Sie weiter.",
  secrets_changed:
    "Die Geheimnisse des Tokens haben sich geändert, seit Sie sie gelesen haben. Laden Sie den Token neu und prüfen Sie, was er hat.",
};
