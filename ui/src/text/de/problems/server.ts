import type { Sentences } from "../../sentences";
import { license } from "../license";
import { login } from "../login";

const later = "Versuchen Sie es gleich noch einmal.";
const without =
  "keine Konten, Token oder Zertifikate hinzufügen. Alles andere funktioniert weiter, und gültige Zertifikate lassen sich erneuern. Ein globaler Administrator kann auf der Seite „Lizenz“ eine hochladen.";

/** The server itself, the license, and what was put back from an older copy. */
export const server: Sentences = {
  backend_unavailable: `Der Dienst hinter dieser Seite antwortet nicht. ${later}`,
  body_too_large: "Das ist mehr, als hier auf einmal gesendet werden kann.",
  "conflict/license_busy": "Jemand anderes ändert gerade die Lizenz. Versuchen Sie es noch einmal.",
  "conflict/sealed_elsewhere":
    "Ein anderer Server versiegelt gerade das Protokoll. Stoppen Sie ihn und versuchen Sie es noch einmal.",
  "conflict/unportable_value":
    "Die Datenbank enthält einen Wert, den keine Sicherung aufnehmen kann: In Tabelle {table}, Spalte {column}, Zeile mit der rowid {row} steht kein gültiges UTF-8 oder ein Nullzeichen. Der Wert stammt nicht von Keyward. Stoppen Sie den Server, korrigieren Sie den Wert mit sqlite3 in der Datenbankdatei und sichern Sie dann noch einmal.",
  internal:
    "Auf dem Server ist etwas schiefgegangen. Versuchen Sie es noch einmal. Passiert es wieder, nennen Sie Ihrem Administrator die Nummer der Anfrage.",
  invalid_request: "Einige Angaben stimmen nicht. Korrigieren Sie sie und versuchen Sie es noch einmal.",
  "license_rejected/bad_signature":
    "Die Signatur stimmt nicht. Laden Sie die Datei genau so hoch, wie sie vom Hersteller kam, oder fordern Sie eine neue an.",
  "license_rejected/expired":
    "Diese Lizenz ist am {expiry_date:day} abgelaufen. Fordern Sie beim Hersteller eine neue an.",
  "license_rejected/malformed": license.upload.malformed,
  "license_rejected/older":
    "Hier war schon eine neuere Lizenz hinterlegt, ausgestellt am {issue_date:day}. Bestätigen Sie, wenn trotzdem die ältere gelten soll.",
  "license_rejected/other_installation":
    "Die Lizenz wurde für eine andere Installation ausgestellt. Fordern Sie eine für die ID dieser Installation an: {installation_id}",
  "license_rejected/unknown_key":
    "Dieses Programm wurde ohne den Schlüssel des Herstellers gebaut und kann deshalb keine Lizenz prüfen. Installieren Sie die Version des Herstellers.",
  "license_restricted/license_expired": `Die Lizenz dieser Installation ist abgelaufen. Bis eine neue da ist, lassen sich ${without}`,
  "license_restricted/license_invalid": `Die Lizenz dieser Installation ist ungültig. Bis eine gültige da ist, lassen sich ${without}`,
  "license_restricted/license_missing": `Diese Installation hat keine Lizenz mehr. Bis eine da ist, lassen sich ${without}`,
  "license_restricted/trial_over": `Die Testphase dieser Installation ist vorbei. Bis eine Lizenz da ist, lassen sich ${without}`,
  license_unavailable:
    "Der Lizenzdienst antwortet nicht. Versuchen Sie es gleich noch einmal. Hält das an, bitten Sie einen Administrator, im Server-Log nachzusehen.",
  "method_not_allowed/page": "Eine Seite lässt sich nur lesen. Verwenden Sie GET oder HEAD.",
  "method_not_allowed/see_allow": "Diese Adresse nimmt diese Methode nicht an; welche, steht im Header Allow.",
  "method_not_allowed/use_method": "Verwenden Sie für diesen Pfad {method}.",
  "not_found/no_address": "Unter dieser Adresse ist nichts.",
  "not_found/no_backend":
    "Dieser Server hat nur die Seiten. Der Proxy davor muss /api an ein Backend leiten, oder er muss mit --backend gestartet werden.",
  "not_found/no_file": "Diese Datei gibt es nicht.",
  "not_found/no_frontend":
    "Dieser Server hat nur die API. Der Proxy davor muss alles außerhalb von /api an ein Frontend leiten.",
  "not_found/no_license": "Es ist keine Lizenz hinterlegt.",
  "not_found/no_license_here": "Es gibt keine Lizenz zum Entfernen.",
  "not_found/no_license_path": "Diesen Pfad hat der Lizenzdienst nicht.",
  "overloaded/exports": "Es laufen zu viele Exporte. Versuchen Sie es gleich noch einmal.",
  "overloaded/imports": `Andere Importe laufen. ${later}`,
  "overloaded/reports": `Andere Berichte werden gerade erstellt. ${later}`,
  "overloaded/sign_ins": "Zu viele Anmeldungen gleichzeitig. Versuchen Sie es in ein paar Sekunden noch einmal.",
  "recovery_required/database_altered":
    "Jemand hat die Tabellen der Datenbank verändert, auf ihre Einträge ist kein Verlass. Geheimnisse und Signaturen sind blockiert, bis das rückgängig gemacht ist. Fragen Sie einen Administrator: Details stehen unter „Systemzustand“ und im Server-Log.",
  "recovery_required/database_older": login.errors.recovery,
  "recovery_required/release_not_recorded":
    "Diese Herausgabe ließ sich nicht protokollieren, daher wurde nichts herausgegeben. Jemand hat die Datenbank verändert. Informieren Sie Ihren Administrator: Details stehen im Server-Log.",
  "recovery_required/restore_unfinished":
    "Die Wiederherstellung einer Sicherung ist nicht abgeschlossen. Bis dahin sind Geheimnisse und Signaturen blockiert. Wurde sie unterbrochen, kann ein Administrator sie fortsetzen.",
  "recovery_required/secrets_older":
    "Der Tresor hat ältere Geheimnisse dieses Tokens, vielleicht aus einem Snapshot. Fragen Sie einen Administrator.",
  "recovery_required/vault_older":
    "Der Tresor ist eine ältere Kopie, vielleicht aus einem Snapshot, und hat womöglich alte Geheimnisse. Geheimnisse und Signaturen sind blockiert, bis ein Administrator ihn akzeptiert.",
  "storage_unavailable/data_directory":
    "Das Datenverzeichnis lässt sich gerade nicht lesen. Versuchen Sie es gleich noch einmal.",
  "unsupported_media_type/send_as": "Senden Sie die Daten als {types}, in UTF-8 und nicht komprimiert.",
};
