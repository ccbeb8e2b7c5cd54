import type { Sentences } from "../../sentences";
import { license } from "../license";
import { login } from "../login";

const later = "Versuchen Sie es gleich noch einmal.";
const without =
  "keine Konten, Token und ersten Zertifikate hinzufügen; alles andere geht weiter. Globale Administratoren laden sie auf der Seite Lizenz hoch.";

/** The server itself, the license, and what was put back from an older copy. */
export const server: Sentences = {
  backend_unavailable: `Der Dienst hinter dieser Seite antwortet nicht. ${later}`,
  body_too_large: "Das ist mehr, als hier auf einmal gesendet werden kann.",
  "conflict/license_busy": "Jemand anderes ändert gerade die Lizenz. Versuchen Sie es noch einmal.",
  "conflict/sealed_elsewhere":
    "Ein anderer Server versiegelt gerade das Protokoll. Halten Sie ihn an, und versuchen Sie es noch einmal.",
  "conflict/unportable_value":
    "In der Datenbank steht, was keine Sicherung aufnehmen kann: Tabelle {table}, Spalte {column}, Zeile mit der rowid {row} hat einen Wert, der kein Text in UTF-8 ist oder das Zeichen null enthält. Jemand hat ihn an Keyward vorbei hineingeschrieben. Halten Sie den Server an, berichtigen Sie den Wert mit sqlite3 in der Datei der Datenbank, und machen Sie die Sicherung noch einmal.",
  internal:
    "Auf dem Server ist etwas schiefgegangen. Versuchen Sie es noch einmal; bleibt es dabei, nennen Sie Ihrer Verwaltung die Nummer der Anfrage.",
  invalid_request: "Einige Angaben stimmen nicht. Berichtigen Sie sie, und versuchen Sie es noch einmal.",
  "license_rejected/bad_signature":
    "Die Signatur passt nicht: Die Lizenz wurde nach dem Ausstellen verändert, oder sie ist nicht vom Hersteller dieser Version. Nehmen Sie die Datei genau so, wie sie kam, oder lassen Sie sich eine neue ausstellen.",
  "license_rejected/expired":
    "Diese Lizenz ist am {expiry_date:day} abgelaufen. Lassen Sie sich vom Hersteller eine neue ausstellen.",
  "license_rejected/malformed": license.upload.malformed,
  "license_rejected/older":
    "Hier war schon eine Lizenz hinterlegt, die später ausgestellt wurde, nämlich am {issue_date:day}. Soll trotzdem die ältere gelten, bestätigen Sie das (replace_newer).",
  "license_rejected/other_installation":
    "Die Lizenz wurde für eine andere Installation ausgestellt. Lassen Sie sich eine für die ID dieser Installation ausstellen: {installation_id}",
  "license_rejected/unknown_key":
    "Dieses Programm wurde ohne den Schlüssel des Herstellers gebaut und kann deshalb keine Lizenz prüfen. Installieren Sie die Version des Herstellers.",
  "license_restricted/license_expired": `Die Lizenz dieser Installation ist abgelaufen. Bis eine neue da ist, lassen sich ${without}`,
  "license_restricted/license_invalid": `Die Lizenz dieser Installation ist ungültig. Bis eine gültige da ist, lassen sich ${without}`,
  "license_restricted/license_missing": `Diese Installation hat keine Lizenz mehr. Bis eine da ist, lassen sich ${without}`,
  "license_restricted/trial_over": `Die Testphase dieser Installation ist vorbei. Bis eine Lizenz da ist, lassen sich ${without}`,
  license_unavailable:
    "Der Lizenzdienst antwortet nicht. Versuchen Sie es gleich noch einmal; hält es an, bitten Sie die Verwaltung, in die Logdatei des Servers zu sehen.",
  "method_not_allowed/page": "Eine Seite lässt sich nur lesen. Nehmen Sie GET oder HEAD.",
  "method_not_allowed/see_allow": "Diese Adresse nimmt diese Methode nicht an; welche, steht im Header Allow.",
  "method_not_allowed/use_method": "Nehmen Sie für diesen Pfad {method}.",
  "not_found/no_address": "Unter dieser Adresse ist nichts.",
  "not_found/no_backend":
    "Dieser Server hat nur die Seiten. Der Proxy davor muss /api an ein Backend leiten, oder er muss mit --backend gestartet werden.",
  "not_found/no_file": "Diese Datei gibt es nicht.",
  "not_found/no_frontend":
    "Dieser Server hat nur die API. Der Proxy davor muss alles außerhalb von /api an ein Frontend leiten.",
  "not_found/no_license": "Es ist keine Lizenz hinterlegt.",
  "not_found/no_license_here": "Es ist keine Lizenz da, die sich entfernen ließe.",
  "not_found/no_license_path": "Diesen Pfad hat der Lizenzdienst nicht.",
  "overloaded/exports": "Zu viele Exporte laufen. Versuchen Sie es bald noch einmal.",
  "overloaded/imports": `Andere Importe laufen. ${later}`,
  "overloaded/reports": `Andere Berichte entstehen gerade. ${later}`,
  "overloaded/sign_ins": "Zu viele Anmeldungen gleichzeitig. Versuchen Sie es in ein paar Sekunden noch einmal.",
  "recovery_required/database_altered":
    "Jemand hat die Tabellen der Datenbank verändert, sodass auf keinen Eintrag Verlass ist. Geheimnisse und Signaturen werden zurückgehalten, bis das rückgängig gemacht ist. Fragen Sie die Verwaltung: Was es ist, steht unter Systemzustand und in der Logdatei des Servers.",
  "recovery_required/database_older": login.errors.recovery,
  "recovery_required/release_not_recorded":
    "Das Protokoll hat den Eintrag über diese Herausgabe nicht behalten, deshalb wurde nichts herausgegeben. Jemand hat die Datenbank verändert. Sagen Sie es der Verwaltung: Was gefunden wurde, steht in der Logdatei des Servers.",
  "recovery_required/restore_unfinished":
    "Die Wiederherstellung einer Sicherung ist noch nicht zu Ende. Bis dahin werden Geheimnisse und Signaturen zurückgehalten. Ist sie stecken geblieben, kann die Verwaltung sie fortsetzen.",
  "recovery_required/secrets_older":
    "Der Tresor hat frühere Geheimnisse dieses Tokens, als wäre er aus einem Snapshot zurückgesetzt. Fragen Sie die Verwaltung.",
  "recovery_required/vault_older":
    "Der Tresor ist eine ältere Kopie, vielleicht aus einem Snapshot, und hat womöglich alte Geheimnisse. Geheimnisse und Signaturen werden zurückgehalten, bis die Verwaltung ihn so annimmt.",
  "storage_unavailable/data_directory":
    "Das Datenverzeichnis lässt sich gerade nicht lesen. Versuchen Sie es bald noch einmal.",
  "unsupported_media_type/send_as": "Senden Sie die Daten als {types}, in UTF-8 und nicht komprimiert.",
};
