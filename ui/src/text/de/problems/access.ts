import type { Sentences } from "../../sentences";

const again = "Melden Sie sich neu an.";

/** Signing in, sessions, and what somebody may do. */
export const access: Sentences = {
  "account_disabled/account": "Dieses Konto ist deaktiviert. Fragen Sie Ihre Verwaltung.",
  "account_disabled/api_key_maker":
    "Das Konto, das diesen API-Schlüssel angelegt hat, ist deaktiviert. Bitten Sie die Verwaltung um einen neuen.",
  "account_disabled/api_key_maker_role":
    "Das Konto, das diesen API-Schlüssel angelegt hat, darf selbst nicht mehr, was der Schlüssel darf. Bitten Sie die Verwaltung um einen neuen.",
  "account_disabled/api_key_organization":
    "Die Organisation dieses API-Schlüssels ist deaktiviert. Fragen Sie Ihre Verwaltung.",
  "account_disabled/organization": "Die Organisation dieses Kontos ist deaktiviert. Fragen Sie Ihre Verwaltung.",
  account_locked:
    "Zu viele fehlgeschlagene Anmeldungen. Warten Sie, oder lassen Sie das Konto von der Verwaltung entsperren.",
  "invalid_credentials/credentials": "Benutzername oder Passwort stimmt nicht. Versuchen Sie es noch einmal.",
  "invalid_credentials/password_changed": "Das Passwort wurde eben geändert. Melden Sie sich mit dem neuen an.",
  password_expired: "Wählen Sie zuerst ein neues Passwort, und melden Sie sich damit an.",
  password_policy: "Das neue Passwort verletzt mehrere Regeln. Wählen Sie ein anderes.",
  "permission_denied/account_move":
    "Nur globale Administratoren können ein Konto in eine andere Organisation verschieben.",
  "permission_denied/actor_changed":
    "Ihre Rolle oder Organisation wurde eben geändert. Laden Sie die Seite neu, und wiederholen Sie es, wenn Sie es noch dürfen.",
  "permission_denied/api_key": "Ein API-Schlüssel kann das nicht. Melden Sie sich als Person an.",
  "permission_denied/api_key_accounts":
    "Ein API-Schlüssel kann nur Konten mit der Rolle user anlegen und ändern. Für mehr melden Sie sich als Person an.",
  "permission_denied/api_key_password":
    "Ein API-Schlüssel legt Konten ohne Passwort an. Lassen Sie es weg; danach lädt jemand die Person ein.",
  "permission_denied/api_key_released":
    "Die Geheimnisse dieses Tokens wurden schon einmal herausgegeben: Ein API-Schlüssel kann ihn nicht zuweisen. Melden Sie sich als Person an.",
  "permission_denied/api_key_role": "Nur globale Administratoren können einen Schlüssel mit dieser Rolle anlegen.",
  "permission_denied/api_key_unattested":
    "Ein API-Schlüssel bekommt Zertifikate nur für Schlüssel, die auf einem Token entstanden. Senden Sie die Attestierung des Schlüssels, oder melden Sie sich als Person an.",
  "permission_denied/foreign_page":
    "Das muss von einer Seite dieses Dienstes kommen. Öffnen Sie seine Adresse, und versuchen Sie es noch einmal.",
  "permission_denied/foreign_refresh":
    "Eine Sitzung lässt sich nur von einer Seite dieses Dienstes aus verlängern. Öffnen Sie seine Adresse, und versuchen Sie es noch einmal.",
  "permission_denied/global_admin_needed": "Nur globale Administratoren können diese Rolle vergeben.",
  "permission_denied/hwkey_move":
    "Nur globale Administratoren können einen Token in eine andere Organisation verschieben.",
  "permission_denied/own_account":
    "Ihr eigenes Konto können Sie nicht deaktivieren. Bitten Sie jemand anderen aus der Verwaltung.",
  "permission_denied/own_role":
    "Ihre eigene Rolle können Sie nicht ändern. Bitten Sie jemand anderen aus der Verwaltung.",
  "permission_denied/own_token":
    "Sie können Ihren eigenen Token nur verloren melden. Alles andere macht Ihre Verwaltung.",
  "permission_denied/password_login_off": "Die Anmeldung mit Passwort ist abgeschaltet. Nutzen Sie Single Sign-on.",
  "permission_denied/report_role": "Diesen Bericht bekommt nur die Verwaltung. Fragen Sie dort.",
  "permission_denied/role": "Ihre Rolle erlaubt das nicht. Fragen Sie Ihre Verwaltung.",
  "rate_limited/account_sign_ins":
    "Zu viele Anmeldungen an diesem Konto auf einmal. Versuchen Sie es gleich noch einmal.",
  "rate_limited/export_running": "Ein anderer Ihrer Exporte läuft noch. Warten Sie, bis er fertig ist.",
  "rate_limited/releases":
    "Innerhalb einer Stunde bekommt eine Person die Geheimnisse von höchstens {max} Token anderer. Machen Sie später weiter.",
  "rate_limited/requests": "Zu viele Anfragen. Warten Sie etwas, und machen Sie dann weiter.",
  reauthentication_required: "Bestätigen Sie, dass Sie es sind, und wiederholen Sie es dann.",
  session_not_found: `Die Sitzung ist beendet. ${again}`,
  "token_expired/access_token_expired": `Die Anmeldung ist abgelaufen. ${again}`,
  "token_expired/api_key_expired": "Dieser API-Schlüssel ist abgelaufen. Bitten Sie um einen neuen.",
  "token_expired/invitation_expired": "Diese Einladung ist abgelaufen. Bitten Sie Ihre Verwaltung um eine neue.",
  "token_expired/sign_in_expired": `Die Anmeldung ist abgelaufen. ${again}`,
  "token_expired/sign_on_too_slow": "Das hat zu lange gedauert. Beginnen Sie Single Sign-on noch einmal.",
  "token_invalid/access_token": `Diese Anmeldung gilt nicht. ${again}`,
  "token_invalid/api_key": "Dieser API-Schlüssel gilt nicht. Bitten Sie um einen neuen.",
  "token_invalid/api_key_revoked": "Dieser API-Schlüssel wurde widerrufen. Bitten Sie um einen neuen.",
  "token_invalid/bad_authorization":
    "Senden Sie genau einen Header Authorization: Bearer und ein Zugriffstoken (access token).",
  "token_invalid/invitation":
    "Diese Einladung gilt nicht, oder sie wurde schon benutzt. Melden Sie sich an, oder bitten Sie Ihre Verwaltung um eine neue.",
  "token_invalid/license_service_token":
    "Der Lizenzdienst antwortet nur dem Server: Geben Sie beiden dasselbe LICENSE_SERVICE_TOKEN.",
  "token_invalid/one_time_code": "Dieser Einmalcode gilt nicht. Beginnen Sie Single Sign-on noch einmal.",
  "token_invalid/other_browser": `Diese Anmeldung gehört zu einem anderen Browser. ${again}`,
  "token_invalid/refresh_token": `Diese Anmeldung gilt nicht mehr. ${again}`,
  "token_invalid/sign_on_off": "Single Sign-on wurde abgeschaltet. Melden Sie sich mit Passwort an.",
  "token_missing/no_access_token":
    "Melden Sie sich zuerst an: Hierfür braucht es Authorization: Bearer mit einem Zugriffstoken (access token).",
  "token_missing/no_refresh_cookie": "Melden Sie sich zuerst an: Es gibt hier keine Sitzung.",
  "token_missing/sign_on_not_begun":
    "Dieser Browser hat Single Sign-on nicht begonnen. Beginnen Sie auf der Anmeldeseite.",
};
