import type { Sentences } from "../../sentences";

const again = "Melden Sie sich neu an.";

/** Signing in, sessions, and what somebody may do. */
export const access: Sentences = {
  "account_disabled/account": "Dieses Konto ist deaktiviert. Fragen Sie Ihren Administrator.",
  "account_disabled/api_key_maker":
    "Das Konto, das diesen API-Schlüssel angelegt hat, ist deaktiviert. Bitten Sie einen Administrator um einen neuen.",
  "account_disabled/api_key_maker_role":
    "Das Konto, das diesen API-Schlüssel angelegt hat, hat selbst nicht mehr die Rechte des Schlüssels. Bitten Sie einen Administrator um einen neuen.",
  "account_disabled/api_key_organization":
    "Die Organisation dieses API-Schlüssels ist deaktiviert. Fragen Sie Ihren Administrator.",
  "account_disabled/organization": "Die Organisation dieses Kontos ist deaktiviert. Fragen Sie Ihren Administrator.",
  account_locked:
    "Zu viele fehlgeschlagene Anmeldungen. Warten Sie, oder lassen Sie das Konto von einem Administrator entsperren.",
  "invalid_credentials/credentials": "Benutzername oder Passwort stimmt nicht. Versuchen Sie es noch einmal.",
  "invalid_credentials/password_changed": "Das Passwort wurde eben geändert. Melden Sie sich mit dem neuen an.",
  password_expired: "Wählen Sie zuerst ein neues Passwort, und melden Sie sich damit an.",
  password_policy: "Das neue Passwort verstößt gegen mehrere Regeln.",
  "permission_denied/account_move":
    "Nur globale Administratoren können ein Konto in eine andere Organisation verschieben.",
  "permission_denied/actor_changed":
    "Ihre Rolle oder Organisation wurde eben geändert. Laden Sie die Seite neu und versuchen Sie es noch einmal.",
  "permission_denied/directory_names":
    "Eine SID oder einen UPN außerhalb der UPN-Suffixe der Organisation kann nur ein globaler Administrator festlegen. Bitten Sie einen.",
  "permission_denied/api_key": "Ein API-Schlüssel kann das nicht. Melden Sie sich als Person an.",
  "permission_denied/api_key_accounts":
    "Ein API-Schlüssel kann nur Konten mit der Rolle user anlegen und ändern. Für mehr melden Sie sich als Person an.",
  "permission_denied/api_key_effect":
    "Ein API-Schlüssel kann das nicht: Damit könnte jemand hineinkommen, mehr dürfen oder einen anderen Namen in Zertifikate bekommen. Melden Sie sich als Person an.",
  "permission_denied/api_key_password":
    "Ein API-Schlüssel legt Konten ohne Passwort an. Lassen Sie es weg. Danach kann jemand die Person einladen.",
  "permission_denied/api_key_released":
    "Die Geheimnisse dieses Tokens wurden schon einmal herausgegeben: Ein API-Schlüssel kann ihn nicht zuweisen. Melden Sie sich als Person an.",
  "permission_denied/api_key_role": "Nur globale Administratoren können einen Schlüssel mit dieser Rolle anlegen.",
  "permission_denied/api_key_scope":
    "Der Umfang dieses API-Schlüssels erlaubt das nicht. Benutzen Sie einen Schlüssel mit größerem Umfang.",
  "permission_denied/api_key_unattested":
    "Ein API-Schlüssel bekommt Zertifikate nur für Schlüssel, die auf einem Token erzeugt wurden. Senden Sie die Attestierung des Schlüssels, oder melden Sie sich als Person an.",
  "permission_denied/foreign_page":
    "Das geht nur von einer Seite von Keyward aus. Öffnen Sie Keyward und versuchen Sie es noch einmal.",
  "permission_denied/foreign_refresh":
    "Eine Sitzung lässt sich nur von einer Seite von Keyward aus verlängern. Öffnen Sie Keyward und versuchen Sie es noch einmal.",
  "permission_denied/global_admin_needed": "Nur globale Administratoren können diese Rolle vergeben.",
  "permission_denied/hwkey_move":
    "Nur globale Administratoren können einen Token in eine andere Organisation verschieben.",
  "permission_denied/own_account":
    "Ihr eigenes Konto können Sie nicht deaktivieren. Bitten Sie einen anderen Administrator.",
  "permission_denied/own_role": "Ihre eigene Rolle können Sie nicht ändern. Bitten Sie einen anderen Administrator.",
  "permission_denied/own_token":
    "Sie können Ihren eigenen Token nur als verloren melden. Alles andere macht Ihr Administrator.",
  "permission_denied/own_token_return":
    "Einen Token zurücknehmen kann nur ein Administrator. Geben Sie Ihren bei ihm ab.",
  "permission_denied/password_login_off": "Die Anmeldung mit Passwort ist ausgeschaltet. Nutzen Sie Single Sign-on.",
  "permission_denied/report_role": "Diesen Bericht sehen nur Administratoren. Fragen Sie Ihren Administrator.",
  "permission_denied/role": "Ihre Rolle erlaubt das nicht. Fragen Sie Ihren Administrator.",
  "rate_limited/account_sign_ins":
    "Zu viele gleichzeitige Anmeldungen mit diesem Konto. Versuchen Sie es gleich noch einmal.",
  "rate_limited/export_running": "Ein anderer Ihrer Exporte läuft noch. Warten Sie, bis er fertig ist.",
  "rate_limited/verification_running":
    "Das Protokoll wird gerade schon geprüft. Warten Sie, bis die Prüfung fertig ist.",
  "rate_limited/releases":
    "Sie können pro Stunde die Geheimnisse von höchstens {max} Token anderer Personen bekommen. Machen Sie später weiter.",
  "rate_limited/requests": "Zu viele Anfragen. Warten Sie etwas und machen Sie dann weiter.",
  reauthentication_required: "Bestätigen Sie, dass Sie es sind, und versuchen Sie es dann noch einmal.",
  session_not_found: `Die Sitzung ist beendet. ${again}`,
  "token_expired/access_token_expired": `Die Anmeldung ist abgelaufen. ${again}`,
  "token_expired/api_key_expired": "Dieser API-Schlüssel ist abgelaufen. Bitten Sie um einen neuen.",
  "token_expired/invitation_expired": "Diese Einladung ist abgelaufen. Bitten Sie Ihren Administrator um eine neue.",
  "token_expired/sign_in_expired": `Die Anmeldung ist abgelaufen. ${again}`,
  "token_expired/sign_on_too_slow": "Das hat zu lange gedauert. Beginnen Sie Single Sign-on noch einmal.",
  "token_invalid/access_token": `Diese Anmeldung ist ungültig. ${again}`,
  "token_invalid/api_key": "Dieser API-Schlüssel ist ungültig. Bitten Sie um einen neuen.",
  "token_invalid/api_key_revoked": "Dieser API-Schlüssel wurde widerrufen. Bitten Sie um einen neuen.",
  "token_invalid/bad_authorization":
    "Senden Sie genau einen Header Authorization: Bearer und ein Zugriffstoken (access token).",
  "token_invalid/invitation":
    "Diese Einladung ist ungültig oder wurde schon benutzt. Melden Sie sich an oder bitten Sie Ihren Administrator um eine neue.",
  "token_invalid/license_service_token":
    "Der Lizenzdienst antwortet nur dem Server: Geben Sie beiden dasselbe LICENSE_SERVICE_TOKEN.",
  "token_invalid/one_time_code": "Dieser Einmalcode ist ungültig. Beginnen Sie Single Sign-on noch einmal.",
  "token_invalid/other_browser": `Diese Anmeldung gehört zu einem anderen Browser. ${again}`,
  "token_invalid/refresh_token": `Diese Anmeldung gilt nicht mehr. ${again}`,
  "token_invalid/sign_on_off": "Single Sign-on wurde ausgeschaltet. Melden Sie sich mit Passwort an.",
  "token_missing/no_access_token":
    "Melden Sie sich zuerst an. Programme senden Authorization: Bearer und ein Zugriffstoken (access token).",
  "token_missing/no_refresh_cookie": "Melden Sie sich zuerst an: Es gibt keine Sitzung.",
  "token_missing/sign_on_not_begun":
    "Single Sign-on wurde nicht in diesem Browser begonnen. Beginnen Sie auf der Anmeldeseite.",
};
