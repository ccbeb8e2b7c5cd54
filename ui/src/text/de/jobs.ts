import type { Said, Sentences } from "../sentences";
import { storeSentences } from "./stores";

/** count is "1 Zeile", "3 Zeilen". */
const count = (n = "", one: string, many: string) => `${n} ${n === "1" ? one : many}`;

/** documents says which documents of the vault could not be restored. */
const documents = (more: string): Said => {
  return (p) =>
    `${count(p.documents, "Dokument", "Dokumente")} des Tresors ${p.documents === "1" ? "ließ" : "ließen"} sich nicht wiederherstellen: ${p.paths}${more.replace("{more}", p.more ?? "")}`;
};

/** What happened, what a job has counted, and what it warns of. */
const own: Sentences = {
  happened: "{what} {todo}",
  cancelled: "Der Auftrag wurde abgebrochen.",
  server_stopped: "Der Server wurde gestoppt, während der Auftrag lief.",
  start_again: "Starten Sie ihn erneut.",
  too_long: "Der Auftrag wurde abgebrochen, weil er länger als zwei Stunden dauerte.",
  start_again_faster:
    "Prüfen Sie, wie schnell Datenbank, Tresor und Speicher antworten, und starten Sie ihn dann erneut.",
  database_away: "Der Server konnte die Datenbank zu lange nicht erreichen und hat den Auftrag abgebrochen.",
  start_again_with_database: "Starten Sie ihn erneut, wenn die Datenbank wieder erreichbar ist.",
  server_silent:
    "Der Server, auf dem der Auftrag lief, hat sich nicht mehr gemeldet: Er wurde gestoppt oder hat die Verbindung zur Datenbank verloren.",
  went_wrong: "Etwas ist schiefgegangen. Mehr dazu steht im Server-Log.",
  failed: "Die Sicherung ist fehlgeschlagen.",
  not_begun: "Zur vorgesehenen Zeit und lange danach lief kein Server, oder es lief ein anderer Auftrag.",
  could_not_begin: "Der Start ist fehlgeschlagen: {why}",
  missed: "{why} Starten Sie jetzt eine oder warten Sie auf die nächste.",
  counts: (p) =>
    `${count(p.rows, "Datensatz", "Datensätze")} aus ${count(p.tables, "Tabelle", "Tabellen")}, ${count(p.secrets, "Geheimnis", "Geheimnisse")}.`,
  still_locked: (p) =>
    `${count(p.backups, "alte Sicherung ist", "alte Sicherungen sind")} noch gesperrt und ${p.backups === "1" ? "bleibt" : "bleiben"}.`,
  restored_full: (p) =>
    `Vollständige Sicherung vom ${p.at} wiederhergestellt: ${count(p.rows, "Datensatz", "Datensätze")} und ${count(p.documents, "Eintrag", "Einträge")} des Tresors.`,
  restored_database: (p) =>
    `Datenbanksicherung vom ${p.at} wiederhergestellt: ${count(p.rows, "Datensatz", "Datensätze")}.`,
  restored_vault: (p) =>
    `Tresorsicherung vom ${p.at} wiederhergestellt: ${count(p.documents, "Eintrag", "Einträge")} des Tresors.`,
  no_ca_key: "Der Schlüssel der CA ist nicht darin: Der Tresor gibt ihn nicht heraus.",
  crl_made: (p) => `Die CA hat eine Sperrliste mit ${count(p.entries, "Eintrag", "Einträgen")} signiert.`,
  audit_verified: (p) =>
    `${count(p.entries, "versiegelter Protokolleintrag wurde", "versiegelte Protokolleinträge wurden")} geprüft.`,
  rows_of_table: "Zeilen der Tabelle {table}",
  documents_of_class: "Dokumente des Tresors ({class})",
  documents_failed: documents(""),
  documents_failed_more: documents(" und {more} weitere"),
  audit_log_goes_on: (p) =>
    `Das aktuelle Protokoll blieb erhalten. ${p.entries === "1" ? "Der Eintrag" : `Die ${p.entries} Einträge`} der Sicherung ${p.entries === "1" ? "steht" : "stehen"} nur darin, soweit schon vorher vorhanden.`,
  restore_unheard:
    "Die Wiederherstellung ist abgeschlossen, aber der Server konnte ihre Hinweise nicht mehr melden: Prüfen Sie auf der Seite „Personen“, ob jetzt Konten deaktiviert sind, und starten Sie den Server neu.",
  restart_needed: "Der Server konnte nach der Wiederherstellung nicht alles neu einlesen: Starten Sie ihn neu.",
  accounts_unheard:
    "Die Datenbank ist wiederhergestellt, aber die Liste der jetzt deaktivierten Konten ging verloren: Prüfen Sie die Seite „Personen“.",
  vault_took_less: "Der Tresor hat nicht alles übernommen.",
  disabled_by_restore:
    "Das Konto {username} ist wieder da, aber deaktiviert: Vor der Wiederherstellung gab es das Konto nicht.",
  more_disabled_by_restore: (p) =>
    `${count(p.accounts, "weiteres Konto ist", "weitere Konten sind")} deaktiviert; die Seite „Personen“ zeigt alle, die eine Wiederherstellung deaktiviert hat.`,
  ca_stays:
    "Der Tresor behält seine CA, die eine andere ist als die der Sicherung: Zertifikate der CA aus der Sicherung stehen auf keiner Sperrliste mehr.",
  ca_without_key:
    "Die Sicherung enthält keinen CA-Schlüssel, denn ihr Tresor gibt ihn nicht heraus. Dieser Tresor signiert mit einer anderen CA: Stellen Sie in dem Tresor wieder her, der die CA der Sicherung hat, oder lassen Sie die Zertifikate aller Token neu ausstellen.",
  ca_by_hand:
    "Der Tresor signiert mit einer anderen CA als der der Sicherung, und eine Wiederherstellung kann seine CA nicht ersetzen. Importieren Sie die CA, die in der Sicherung unter {path} steht, in das PKI-Verzeichnis des Tresors (pki/issuers/import/bundle), machen Sie sie dort zum Standard (default issuer), führen Sie keyward vault setup aus und starten Sie die Wiederherstellung noch einmal.",
  organizations_keep_names: (p) =>
    `${count(p.organizations, "Organisation behält ihren", "Organisationen behalten ihren")} heutigen Namen: Den Namen aus der Sicherung hat inzwischen eine andere.`,
  kept_accounts: (p) =>
    `Bleibt wie heute: ${count(p.count, "Konto, das", "Konten, die")} in der Sicherung Benutzername, E-Mail-Adresse, Rolle, Organisation oder Passwort anders haben oder anders (de)aktiviert sind. Eine Wiederherstellung gibt niemandem, was kurz zuvor nicht ging.`,
  kept_organizations: (p) =>
    `Bleibt wie heute: ${count(p.count, "Organisation, deren", "Organisationen, deren")} E-Mail-Domains oder Aktivität in der Sicherung anders sind. Sie entscheiden, wer hereinkommt.`,
  kept_tokens: (p) =>
    `Bleibt wie heute: ${count(p.count, "Token, dessen", "Token, deren")} Inhaber, Organisation oder Status in der Sicherung anders ist. Wem ein Token gehört, ist eine Tatsache von heute.`,
  kept_sign_on: "Bleibt wie heute: Single Sign-on. Es entscheidet, wer hereinkommt.",
  kept_password_rules: "Bleibt wie heute: die Passwortregeln. Sie entscheiden, was verlangt wird.",
  kept_mail: "Bleibt wie heute: wie E-Mail versendet wird. Das entscheidet, wohin Nachrichten gehen.",
  kept_webhooks: (p) =>
    `Bleibt wie heute: ${count(p.count, "Webhook, der", "Webhooks, die")} in der Sicherung anders sind. Sie entscheiden, wohin Ereignisse gehen.`,
  kept_way:
    "Wenn Sie all das so haben wollen wie in der Sicherung, stellen Sie sie auf einem leeren Computer wieder her.",
  judged_number: "{place} ist keine Zahl zwischen 0 und 2^52.",
  judged_time:
    "{place} ist {at}, nach dem Erstellen der Sicherung ({created_at}). Ging damals eine Uhr falsch, verwenden Sie auf dem Server keyward restore --accept-clock.",
  judged_value: "{place} hat einen Wert, den diese Version nicht kennt.",
  judged_nobody: "Ihre Datenbank sagt nicht, zu welcher Installation sie gehört.",
  judged_seals: "Ihr Protokoll ist mit einem Schlüssel versiegelt, den ihre Dokumente des Tresors nicht nennen.",
  judged_halves: "Ihre Datenbank und ihre Dokumente des Tresors sind von verschiedenen Installationen.",
  judged_no_document: "Das Dokument {path} des Tresors fehlt ihr.",
  certificates_revoked: (p) =>
    `${count(p.certificates, "Zertifikat wurde", "Zertifikate wurden")} widerrufen, weil ${p.certificates === "1" ? "es" : "sie"} in der Sicherung oder hier als widerrufen oder kompromittiert ${p.certificates === "1" ? "galt" : "galten"}.`,
  webhooks_back: (p) =>
    `${count(p.webhooks, "Webhook, der seither gelöscht wurde, ist", "Webhooks, die seither gelöscht wurden, sind")} wieder da und ausgeschaltet: Prüfen Sie jeden.`,
  mail_restored:
    "E-Mail ist wie in der Sicherung eingerichtet, aber ausgeschaltet. Ersetzt diese Installation die frühere, schalten Sie E-Mail unter „System“, „E-Mail“ ein.",
  setting_unknown: "Die Einstellung {name} wurde nicht wiederhergestellt: Diese Version kennt sie nicht.",
  no_administrator:
    "Kein globaler Administrator aus der Sicherung kann sich anmelden: Legen Sie einen mit keyward admin create-admin an.",
  head_not_written:
    "Der signierte Stand des Protokolls konnte nicht neben die Sicherung geschrieben werden; die nächste Sicherung versucht es erneut.",
  not_expired: "Ältere Sicherungen konnten nicht gelöscht werden; Keyward versucht es täglich erneut.",
};

/** Why a backup, a restore or a drill could not go on. */
const refused: Sentences = {
  "backup_corrupt/changed":
    "Die Sicherungsdatei hat sich geändert, während sie gelesen wurde. Versuchen Sie es noch einmal. Passiert es wieder, prüfen Sie die Festplatte, auf der sie liegt.",
  "backup_corrupt/checksum":
    "Die Sicherungsdatei ist beschädigt oder unvollständig: Ihre Prüfsumme stimmt nicht. Laden Sie sie noch einmal herunter. Passiert es wieder, nehmen Sie eine andere Sicherung.",
  "backup_corrupt/database":
    "Die Sicherung lässt sich öffnen, aber ihre Datenbank lässt sich nicht wiederherstellen: {why}. Nehmen Sie eine andere Sicherung.",
  "backup_corrupt/drill_audit":
    "Die Sicherung lässt sich öffnen, aber das Protokoll darin besteht die Prüfung nicht. Führen Sie keyward audit verify aus: Ist das Protokoll dieser Installation in Ordnung, erstellen Sie eine neue Sicherung.",
  "backup_corrupt/drill_ca":
    "Die Sicherung lässt sich öffnen, aber mit der CA darin lässt sich keine Sperrliste erstellen. Erstellen Sie eine neue Sicherung. Scheitert auch die, melden Sie es.",
  "backup_corrupt/drill_counts":
    "Die Sicherung lässt sich öffnen, aber nicht wiederherstellen: {what}: Sie enthält {has}, wiederhergestellt wurden {came}. Erstellen Sie eine neue Sicherung. Scheitert auch die, melden Sie es.",
  "backup_corrupt/header":
    "Der Anfang der Sicherungsdatei ist beschädigt. Laden Sie sie noch einmal herunter. Passiert es wieder, nehmen Sie eine andere Sicherung.",
  "backup_corrupt/headers_differ":
    "Jemand hat den Anfang dieser Sicherungsdatei geändert: {field} stimmt nicht mit dem überein, was mit den Daten verschlüsselt wurde. Nehmen Sie eine andere Sicherung und finden Sie heraus, wer auf den Speicher der Sicherungen schreiben kann.",
  "backup_corrupt/payload":
    "Das Passwort öffnet diese Sicherung, aber ihr Inhalt hat nicht die Form einer Sicherung. Nehmen Sie eine andere und klären Sie, mit welchem Programm diese erstellt wurde.",
  "backup_corrupt/unfit":
    "Die Sicherung lässt sich öffnen, aber nicht wiederherstellen: {why} Es wurde nichts geändert. Nehmen Sie eine andere Sicherung und finden Sie heraus, wer diese erstellt oder verändert hat.",
  "backup_corrupt/secrets":
    "Die Sicherung lässt sich öffnen, aber ein Dokument des Tresors darin kann dieses Programm nicht wiederherstellen. Nehmen Sie eine andere Sicherung und melden Sie diese.",
  backup_newer:
    "Diese Sicherung wurde mit einer neueren Version von Keyward erstellt. Stellen Sie sie mit dieser oder einer späteren Version wieder her.",
  backup_not_configured:
    "Ohne Verschlüsselungspasswort werden keine Sicherungen erstellt. Legen Sie eines in den Einstellungen für Sicherungen fest.",
  backup_password_wrong:
    "Das Passwort öffnet diese Sicherung nicht. Geben Sie das ein, das galt, als sie erstellt wurde, und achten Sie auf Groß- und Kleinschreibung. Ist es sicher das richtige, ist die Datei beschädigt: Nehmen Sie eine andere Sicherung.",
  "backup_too_large/file":
    "Diese Datei ist größer, als eine Sicherung sein darf ({max} GiB), und wird daher nicht gelesen. Nehmen Sie eine andere Sicherung.",
  "backup_too_large/payload":
    "Die Daten sind größer, als eine Sicherung fasst ({max} GiB). Lassen Sie das Protokoll aus den Sicherungen weg und exportieren Sie es stattdessen.",
  backup_truncated:
    "Die Sicherungsdatei ist unvollständig. Laden Sie sie noch einmal herunter. Passiert es wieder, nehmen Sie eine andere Sicherung.",
  "conflict/backup_ahead":
    "Die Sicherung wurde um {created_at} erstellt, aber die Uhr dieses Servers zeigt {now}. Es wurde nichts geändert. Stellen Sie die Uhr. Ging die Uhr falsch, als die Sicherung erstellt wurde, verwenden Sie auf dem Server keyward restore --accept-clock.",
  "conflict/crl_without_vault":
    "Diese Sicherung enthält nur die Datenbank, eine Sperrliste gehört zum Teil des Tresors. Lassen Sie --crl weg oder nehmen Sie eine vollständige Sicherung.",
  "conflict/backup_lacks_seal":
    "Der Tresor hat seinen Schlüssel für das Siegel des Protokolls verloren, und die Sicherung ist zu alt, um das Ende dieses Protokolls zu prüfen. Es wurde nichts geändert. Nehmen Sie eine neuere Sicherung oder stellen Sie diese auf einem leeren Computer wieder her.",
  "conflict/crl_number_out_of_reach":
    "Die Sperrliste hat die Nummer {number} und muss über {above} kommen. Dieser Tresor würde dafür länger als zehn Minuten brauchen, denn er signiert für jede Nummer eine Liste. Sonst wurde nichts geändert. Was zu tun ist, steht in docs/operations.md unter „A CRL number that is far ahead“.",
  "conflict/crl_of_another_ca":
    "Die Sperrliste ist nicht von der CA der Sicherung signiert. Es wurde nichts geändert. Nehmen Sie die letzte, die diese CA veröffentlicht hat.",
  "conflict/restore_needs_crl":
    "Die unterbrochene Wiederherstellung hatte auch eine veröffentlichte Sperrliste. Setzen Sie sie auf dem Server mit keyward restore --resume und --crl fort.",
  "conflict/backup_contradicts":
    "Die Sicherung und diese Installation widersprechen sich bei Zeile {id} der Tabelle {table}: Nach einer früheren Wiederherstellung haben sie sich getrennt entwickelt. Es wurde nichts geändert. Stellen Sie die Sicherung mit keyward restore auf einem separaten Computer wieder her.",
  "conflict/backup_needs_database":
    "Diese Sicherung enthält nur den Tresor, und die Datenbank dazu fehlt. Stellen Sie zuerst eine vollständige Sicherung jener Installation oder eine ihrer Datenbank wieder her.",
  "conflict/backup_needs_vault":
    "Diese Sicherung enthält nur die Datenbank, und der Tresor gehört zu einer anderen Installation: Niemand könnte ein Geheimnis lesen. Stellen Sie eine vollständige Sicherung wieder her oder geben Sie den zugehörigen Tresor an.",
  "conflict/backup_object_exists":
    "Im Speicher liegt schon eine Datei dieses Namens; sie bleibt, wie sie ist. Versuchen Sie es in einer Sekunde noch einmal: Der Name enthält die Zeit.",
  "conflict/backup_object_held":
    "Diese Datei ist im S3-Speicher durch einen Legal Hold geschützt; es wurde nichts gelöscht. Bitten Sie, wer ihn gesetzt hat, ihn vorher aufzuheben.",
  "conflict/backup_object_locked":
    "Object Lock sperrt diese Datei im S3-Speicher noch. Löschen Sie sie, wenn die Sperre endet.",
  "conflict/backup_object_locked_until":
    "Object Lock sperrt diese Datei im S3-Speicher bis {until}; es wurde nichts gelöscht. Löschen Sie sie danach.",
  "conflict/backup_of_another_ca":
    "Die Sicherung hat eine andere CA als diese Installation und würde sie ersetzen: Zertifikate der jetzigen CA würden nicht mehr gelten. Ist das gewollt, wählen Sie, dass die CA ersetzt wird.",
  "conflict/backup_of_another_installation":
    "Die Sicherung ist von einer anderen Installation, und diese hier hat eigene Token oder Zertifikate. Stellen Sie sie mit keyward restore auf einem separaten Computer wieder her.",
  "conflict/backup_of_another_vault":
    "Der Tresor oder die Datenbank gehört zu einer anderen Installation als die Sicherung. Es wurde nichts geändert. Geben Sie die der anderen Installation an oder leere.",
  "conflict/backup_replaces_all":
    "Die Sicherung ist von einer anderen Installation: Sie ersetzt hier alles, auch die Konten und die CA. Bestätigen Sie, dass das gewollt ist.",
  "conflict/drill_former_password":
    "Das jetzige Verschlüsselungspasswort öffnet diese Sicherung nicht, und eine Testwiederherstellung hat kein anderes. Wahrscheinlich wurde sie mit einem früheren Passwort erstellt; sonst ist ihr Anfang beschädigt. Erstellen Sie eine neue Sicherung und testen Sie diese. Bewahren Sie das frühere Passwort so lange auf wie diese Datei.",
  "conflict/job_over": "Der Auftrag ist schon zu Ende.",
  "conflict/no_backup_to_try":
    "Es gibt noch keine Sicherung. Erstellen Sie eine und testen Sie dann ihre Wiederherstellung.",
  "conflict/nothing_to_retry":
    "Es gibt nichts abzuschließen: Keine Wiederherstellung dieser Sicherung wurde unterbrochen.",
  "conflict/restore_of_another_backup":
    "Die unterbrochene Wiederherstellung verwendete eine andere Sicherung. Machen Sie mit jener weiter.",
  "conflict/retry_by_file":
    "Diese Sicherung kam aus einer Datei. Setzen Sie die Wiederherstellung auf dem Server mit keyward restore --resume und dieser Datei fort.",
  "database_unavailable/away":
    "Die Datenbank antwortet nicht. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal.",
  "database_unavailable/crowded":
    "PostgreSQL hat für diesen Server keine Verbindung mehr frei. Es wurde nichts geändert. Versuchen Sie es gleich noch einmal. Hält das an, muss ein Administrator dort mehr Verbindungen erlauben.",
  "database_unavailable/full":
    "Der Datenträger der Datenbank ist voll. Es wurde nichts geändert. Schaffen Sie dort Platz und versuchen Sie es dann noch einmal.",
  "database_unavailable/missing":
    "Auf dem PostgreSQL-Server gibt es keine Datenbank dieses Namens. Ein Administrator muss sie anlegen oder den Namen in DATABASE_URL korrigieren.",
  "database_unavailable/outcome_unknown":
    "Die Datenbank fiel aus, während die Änderung gespeichert wurde. Prüfen Sie, ob sie gespeichert ist, bevor Sie es noch einmal versuchen.",
  "database_unavailable/pooled":
    "DATABASE_URL führt zu einem Connection-Pooler wie PgBouncer. Verbinden Sie sich direkt mit PostgreSQL, ohne Pooler.",
  "database_unavailable/read_only":
    "Die Datenbank nimmt gerade keine Änderungen an. Es wurde nichts geändert. Hält das an, muss ein Administrator dafür sorgen, dass Keyward den primären Datenbankserver erreicht.",
  "database_unavailable/refused":
    "PostgreSQL lehnt Benutzer oder Passwort dieses Servers ab. Es wurde nichts geändert. Ein Administrator muss sie in DATABASE_URL korrigieren oder die Anmeldung in pg_hba.conf zulassen.",
  "database_unavailable/untrusted":
    "Das Zertifikat des PostgreSQL-Servers wird nicht akzeptiert. Es wurde nichts geändert. Ein Administrator muss Hostname und sslrootcert in DATABASE_URL prüfen.",
  job_running:
    "Eine andere Sicherung, Wiederherstellung oder Testwiederherstellung läuft. Warten Sie, bis sie fertig ist, oder brechen Sie sie ab.",
  not_a_backup:
    "Diese Datei ist keine Sicherung von Keyward. Wählen Sie eine von Keyward: Ihr Name beginnt mit backup- und endet mit .enc.",
  "not_found/no_backup_job": "Diesen Auftrag gibt es nicht.",
  "overloaded/stopping": "Der Server wird gerade gestoppt. Versuchen Sie es gleich noch einmal.",
  restore_running:
    "Eine Sicherung wird wiederhergestellt. Bis das abgeschlossen ist, können Sie nichts ändern. Danach müssen Sie sich neu anmelden.",
  "vault_unavailable/busy": "Der Tresor nimmt gerade keine weiteren Anfragen an. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/denied":
    "Der Tresor lehnt die Anmeldung des Servers ab. Im Server-Log steht mehr: Die Zugangsdaten des Servers gelten nicht mehr, oder es fehlt ein Recht, das keyward vault setup vergibt.",
  "vault_unavailable/differs":
    "Die CA hat etwas anderes signiert als angefordert; das Zertifikat ist widerrufen. Der Befehl keyward vault setup nennt, was im Tresor verändert wurde.",
  "vault_unavailable/full":
    "Der Datenträger des Tresors ist voll, oder ein Kontingent ist erreicht. Es wurde nichts geändert. Schaffen Sie im Datenverzeichnis des Servers Platz und versuchen Sie es dann noch einmal.",
  "vault_unavailable/outdated":
    "Die Sperrliste des Tresors ist älter als eine, die er schon geliefert hat, und wird daher nicht verwendet. Vielleicht wurde der Tresor auf eine ältere Kopie zurückgesetzt.",
  "vault_unavailable/restore_incomplete": (p) =>
    `${p.failed} von ${count(p.all, "Dokument", "Dokumenten")} des Tresors ${p.failed === "1" ? "ließ" : "ließen"} sich nicht wiederherstellen.`,
  "vault_unavailable/sealed":
    "Der Tresor ist versiegelt. Er muss entsiegelt werden, oder der Server braucht seinen Schlüssel zum Entsiegeln.",
  "vault_unavailable/silent": "Der Tresor antwortet nicht. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/slow": "Der Tresor hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/standby": "Gerade ist kein Knoten des Tresors aktiv. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/vault_incomplete":
    "Die Wiederherstellung wurde unterbrochen, nachdem sie Daten geändert hatte. Bis sie abgeschlossen ist, sind Geheimnisse und Signaturen blockiert. {why} Sorgen Sie dafür, dass der Tresor erreichbar ist, und schließen Sie die Wiederherstellung dann ab, oder führen Sie auf dem Server keyward restore --resume aus. Es muss dieselbe Sicherung sein.",
};

export const jobs: Sentences = { ...own, ...refused, ...storeSentences };
