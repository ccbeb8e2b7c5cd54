import type { Said, Sentences } from "../sentences";
import { storeSentences } from "./stores";

const types: Record<string, string> = {
  full: "eine vollständige Sicherung",
  database: "eine Sicherung nur der Datenbank",
  vault: "eine Sicherung nur des Tresors",
};

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
  server_stopped: "Der Server wurde beendet, während der Auftrag lief.",
  start_again: "Starten Sie ihn noch einmal.",
  too_long: "Der Auftrag wurde beendet, weil er länger als zwei Stunden dauerte.",
  start_again_faster:
    "Sehen Sie nach, wie schnell Datenbank, Tresor und Speicher antworten, und starten Sie ihn dann noch einmal.",
  database_away:
    "Der Server, auf dem der Auftrag lief, konnte die Datenbank zu lange nicht erreichen und hat ihn beendet.",
  start_again_with_database: "Starten Sie ihn noch einmal, wenn die Datenbank wieder da ist.",
  server_silent:
    "Von dem Server, auf dem der Auftrag lief, kam kein Zeichen mehr: Er wurde beendet oder hat die Datenbank verloren.",
  went_wrong: "Etwas ist schiefgegangen. Mehr steht in der Logdatei des Servers.",
  failed: "Die Sicherung ist fehlgeschlagen.",
  not_begun: "Zur vorgesehenen Zeit und lange danach lief kein Server, oder es lief ein anderer Auftrag.",
  could_not_begin: "Sie konnte nicht beginnen: {why}",
  missed: "{why} Beginnen Sie jetzt eine, oder warten Sie auf die nächste.",
  counts: (p) =>
    `${count(p.rows, "Zeile", "Zeilen")} aus ${count(p.tables, "Tabelle", "Tabellen")}, ${count(p.secrets, "Geheimnis", "Geheimnisse")}`,
  restored: (p) => `${types[p.type ?? ""] ?? "eine Sicherung"} vom ${p.at}`,
  restored_rows: (p) => count(p.rows, "Zeile", "Zeilen"),
  restored_documents: (p) => `${count(p.documents, "Dokument", "Dokumente")} des Tresors`,
  no_ca_key: "der Schlüssel der CA ist nicht darin, denn der Tresor gibt keinen heraus",
  crl_made: (p) => `eine Sperrliste mit ${count(p.entries, "Eintrag", "Einträgen")}`,
  audit_verified: (p) =>
    `${count(p.entries, "versiegelter Protokolleintrag", "versiegelte Protokolleinträge")} geprüft`,
  rows_of_table: "Zeilen der Tabelle {table}",
  documents_of_class: "Dokumente des Tresors ({class})",
  documents_failed: documents(""),
  documents_failed_more: documents(" und {more} weitere"),
  audit_log_goes_on: (p) =>
    `Das Protokoll dieser Installation geht weiter: ${p.entries === "1" ? "Der Eintrag" : `Die ${p.entries} Einträge`} der Sicherung ${p.entries === "1" ? "ist" : "sind"} nicht darin, außer was schon da war.`,
  restore_unheard:
    "Die Wiederherstellung ist fertig, aber ihr Server konnte das nicht mehr sagen, und auch nicht, was sonst zu sagen war: Sehen Sie auf der Seite Personen nach, wo nun Konten deaktiviert sein können, und starten Sie den Server neu.",
  restart_needed: "Der Server konnte nach der Wiederherstellung nicht alles neu einlesen: Starten Sie ihn neu.",
  accounts_unheard:
    "Die Datenbank ist wiederhergestellt, aber ihre Antwort ging verloren, und damit die Liste der Konten, die nun deaktiviert sind: Sehen Sie auf der Seite Personen nach.",
  vault_took_less: "Der Tresor hat nicht alles angenommen.",
  disabled_by_restore: "Das Konto {username} ist deaktiviert: {why}.",
  disabled_since: "Es wurde seit der Sicherung deaktiviert",
  disabled_before: "In der Sicherung ist es deaktiviert",
  demoted_since: "Seine Rolle ist seit der Sicherung eine niedrigere",
  moved_since: "Es hat seit der Sicherung die Organisation gewechselt",
  absent_before: "Kurz zuvor gab es das Konto nicht",
  more_disabled_by_restore: (p) =>
    `${count(p.accounts, "weiteres Konto ist", "weitere Konten sind")} deaktiviert; die Seite Personen zeigt alle, die eine Wiederherstellung deaktiviert hat.`,
  ca_stays:
    "Der Tresor hat eine andere CA als die Sicherung, und die bleibt: Zertifikate der CA der Sicherung stehen auf keiner Sperrliste mehr.",
  ca_without_key:
    "Die Sicherung hat keinen Schlüssel ihrer CA, denn sie stammt von einem Tresor, der keinen herausgibt. Der Tresor signiert mit einer anderen CA: Stellen Sie auf dem Tresor wieder her, der jene CA hat, oder lassen Sie das Zertifikat jedes Tokens neu ausstellen.",
  ca_by_hand:
    "Der Tresor signiert mit einer anderen CA als der der Sicherung und nimmt durch eine Wiederherstellung keine an. Importieren Sie die CA, die in der Sicherung unter {path} steht, in das PKI-Verzeichnis des Tresors (pki/issuers/import/bundle), machen Sie sie dort zum Standard (default issuer), führen Sie keyward vault setup aus, und stellen Sie noch einmal wieder her.",
  organizations_keep_names: (p) =>
    `${count(p.organizations, "Organisation behält ihren", "Organisationen behalten ihren")} heutigen Namen: Den der Sicherung hat inzwischen eine andere.`,
  organizations_keep_domains: (p) =>
    `${count(p.organizations, "Organisation hatte", "Organisationen hatten")} andere E-Mail-Domains: Die heutigen bleiben.`,
  accounts_keep_names: (p) =>
    `${count(p.accounts, "Konto hatte einen anderen Benutzernamen oder eine andere E-Mail-Adresse", "Konten hatten andere Benutzernamen oder E-Mail-Adressen")}: Die heutigen bleiben, denn sie stehen in Zertifikaten.`,
  certificates_revoked: (p) =>
    `${count(p.certificates, "Zertifikat wurde", "Zertifikate wurden")} widerrufen, weil die andere Seite den Widerruf oder einen kompromittierten Schlüssel kannte.`,
  webhooks_restored: (p) =>
    `${count(p.webhooks, "Webhook ist", "Webhooks sind")} wie in der Sicherung; was damit etwas anderes senden würde oder seither entfernt wurde, ist abgeschaltet: Sehen Sie jeden an.`,
  mail_restored:
    "Mail ist wie in der Sicherung eingerichtet, aber ausgeschaltet. Ersetzt diese Installation die frühere, schalten Sie Mail unter „System“, „Mail“ ein.",
  setting_unknown: "Die Einstellung {name} der Sicherung ist nicht wiederhergestellt: Diese Version kennt sie nicht.",
  no_administrator:
    "Kein globaler Administrator aus der Sicherung könnte sich anmelden: Legen Sie einen mit keyward admin create-admin an.",
  head_not_written:
    "Der signierte Stand des Protokolls konnte nicht neben die Sicherung geschrieben werden; die nächste Sicherung versucht es wieder.",
  not_expired: "Ältere Sicherungen konnten nicht gelöscht werden; das wird jeden Tag wieder versucht.",
};

/** Why a backup, a restore or a drill could not go on. */
const refused: Sentences = {
  "backup_corrupt/changed":
    "Die Sicherungsdatei hat sich geändert, während sie gelesen wurde. Versuchen Sie es noch einmal; bleibt es dabei, prüfen Sie die Platte, auf der sie liegt.",
  "backup_corrupt/checksum":
    "Die Sicherungsdatei ist beschädigt oder abgeschnitten: Ihre Prüfsumme ist eine andere. Holen Sie sie noch einmal von dort, wo sie liegt; bleibt es dabei, stellen Sie eine andere Sicherung wieder her.",
  "backup_corrupt/database":
    "Die Sicherung lässt sich öffnen, aber ihre Datenbank ist keine, die dieses Programm wiederherstellen kann. Nehmen Sie eine andere Sicherung, und melden Sie diese.",
  "backup_corrupt/drill_audit":
    "Die Sicherung lässt sich öffnen, aber das Protokoll darin hält der Prüfung nicht stand. Führen Sie keyward audit verify aus: Ist das Protokoll dieser Installation in Ordnung, machen Sie eine neue Sicherung.",
  "backup_corrupt/drill_ca":
    "Die Sicherung lässt sich öffnen, aber mit der CA darin entsteht keine Sperrliste. Machen Sie eine neue; scheitert auch die, melden Sie es.",
  "backup_corrupt/drill_counts":
    "Die Sicherung lässt sich öffnen, aber nicht wiederherstellen: {what}: Sie hat {has}, und {came} kamen heraus. Machen Sie eine neue Sicherung; scheitert auch die, melden Sie es.",
  "backup_corrupt/header":
    "Der Anfang der Sicherungsdatei ist beschädigt. Holen Sie sie noch einmal von dort, wo sie liegt; bleibt es dabei, stellen Sie eine andere Sicherung wieder her.",
  "backup_corrupt/headers_differ":
    "Jemand hat den Anfang dieser Sicherungsdatei geändert: {field} ist dort nicht, was mit den Daten verschlüsselt wurde. Stellen Sie eine andere Sicherung wieder her, und finden Sie heraus, wer dort schreiben kann, wo die Sicherungen liegen.",
  "backup_corrupt/payload":
    "Das Passwort öffnet diese Sicherung, aber ihr Inhalt hat nicht die Form einer Sicherung. Stellen Sie eine andere wieder her, und fragen Sie nach, mit welchem Programm diese gemacht wurde.",
  "backup_corrupt/secrets":
    "Die Sicherung lässt sich öffnen, aber ein Dokument des Tresors darin ist keines, das dieses Programm wiederherstellen kann. Nehmen Sie eine andere Sicherung, und melden Sie diese.",
  backup_newer:
    "Eine neuere Version von Keyward hat diese Sicherung gemacht. Stellen Sie sie mit jener Version oder einer späteren wieder her.",
  backup_not_configured:
    "Ohne Passwort der Verschlüsselung wird nicht gesichert. Setzen Sie eines in den Einstellungen der Sicherungen.",
  backup_password_wrong:
    "Das Passwort öffnet diese Sicherung nicht. Geben Sie das ein, das gesetzt war, als sie gemacht wurde; Groß- und Kleinschreibung zählt. Ist es sicher dieses, ist die Datei beschädigt: Stellen Sie eine andere Sicherung wieder her.",
  "backup_too_large/file":
    "Diese Datei hat mehr, als eine Sicherung haben darf ({max} GiB), deshalb wird sie nicht gelesen. Stellen Sie eine andere Sicherung wieder her.",
  "backup_too_large/payload":
    "Es sind mehr Daten, als eine Sicherung fasst ({max} GiB). Lassen Sie das Audit-Protokoll aus den Sicherungen, und bewahren Sie es durch Exporte auf.",
  backup_truncated:
    "Die Sicherungsdatei ist abgeschnitten. Holen Sie sie noch einmal von dort, wo sie liegt; bleibt es dabei, stellen Sie eine andere Sicherung wieder her.",
  "conflict/backup_contradicts":
    "Die Sicherung und diese Installation widersprechen sich darin, was Zeile {id} der Tabelle {table} ist: Nach einer früheren Wiederherstellung gingen sie verschiedene Wege. Nichts wurde geändert. Stellen Sie die Sicherung mit keyward restore auf einer eigenen Maschine wieder her.",
  "conflict/backup_needs_database":
    "Diese Sicherung hat nur den Teil des Tresors, und die Datenbank, zu der er gehört, ist nicht da. Stellen Sie zuerst eine vollständige Sicherung jener Installation wieder her, oder eine ihrer Datenbank.",
  "conflict/backup_needs_vault":
    "Diese Sicherung hat nur die Datenbank, und der Tresor ist nicht der jener Installation: Niemand könnte ein Geheimnis lesen. Stellen Sie eine vollständige Sicherung wieder her, oder geben Sie den Tresor an, der dazu gehört.",
  "conflict/backup_object_exists":
    "Im Speicher liegt schon eine Datei dieses Namens; sie bleibt, wie sie ist. Versuchen Sie es in einer Sekunde noch einmal: Der Name enthält die Zeit.",
  "conflict/backup_object_locked":
    "Der S3-Speicher sperrt diese Datei durch Object Lock, bis ihre Zeit um ist. Löschen Sie sie dann.",
  "conflict/backup_of_another_ca":
    "Die Sicherung hat eine andere CA als diese Installation und würde sie ersetzen: Zertifikate der jetzigen gälten nicht mehr. Ist das gewollt, lassen Sie die CA ersetzen.",
  "conflict/backup_of_another_installation":
    "Die Sicherung ist von einer anderen Installation, und diese hier hat eigene Token oder Zertifikate. Stellen Sie sie mit keyward restore auf einer eigenen Maschine wieder her.",
  "conflict/backup_of_another_vault":
    "Der Tresor oder die Datenbank gehört zu einer anderen Installation als die Sicherung. Nichts wurde geändert. Geben Sie die jener Installation an, oder leere.",
  "conflict/backup_replaces_all":
    "Die Sicherung ist von einer anderen Installation: Sie ersetzt alles, was hier ist, samt den Konten und der CA. Sagen Sie, dass das gewollt ist.",
  "conflict/drill_former_password":
    "Das jetzige Passwort der Verschlüsselung öffnet diese Sicherung nicht, und eine Probe hat kein anderes. Ihre Daten sind nicht beschädigt, also wurde sie sehr wahrscheinlich mit einem früheren Passwort gemacht; wenn nicht, ist ihr Anfang beschädigt. Machen Sie eine Sicherung, und proben Sie dann die; bewahren Sie das frühere Passwort so lange auf wie diese Datei.",
  "conflict/job_over": "Der Auftrag ist schon zu Ende.",
  "conflict/no_backup_to_try":
    "Es gibt noch keine Sicherung. Machen Sie eine, und proben Sie dann, ob sie sich wiederherstellen lässt.",
  "conflict/nothing_to_retry":
    "Es gibt nichts zu wiederholen: Keine Wiederherstellung dieser Sicherung ist stecken geblieben.",
  "conflict/restore_of_another_backup":
    "Die Wiederherstellung, die stecken blieb, war von einer anderen Sicherung. Machen Sie mit jener weiter.",
  "conflict/restore_without_administrator":
    "Nach dieser Wiederherstellung könnte sich kein globaler Administrator mehr anmelden. Nennen Sie einen aktiven, dessen Konto bleiben soll, wie es ist.",
  "conflict/retry_by_file":
    "Diese Sicherung kam aus einer Datei. Machen Sie auf dem Computer des Servers mit keyward restore --resume und dieser Datei weiter.",
  "database_unavailable/away":
    "Die Datenbank antwortet gerade nicht. Nichts wurde geändert; versuchen Sie es bald noch einmal.",
  "database_unavailable/full":
    "Der Datenträger der Datenbank ist voll, und nichts wurde geändert. Schaffen Sie dort Platz und versuchen Sie es dann noch einmal.",
  "database_unavailable/outcome_unknown":
    "Die Datenbank fiel aus, während die Änderung gespeichert wurde: Vielleicht ist sie geschehen, vielleicht nicht. Sehen Sie nach, bevor Sie es noch einmal versuchen.",
  "database_unavailable/read_only":
    "Die Datenbank nimmt gerade keine Änderungen an, und nichts wurde geändert. Bleibt es dabei, muss jemand aus der Verwaltung dafür sorgen, dass Keyward den primären Datenbankserver erreicht.",
  job_running:
    "Eine andere Sicherung, Wiederherstellung oder Probe läuft. Warten Sie, bis sie zu Ende ist, oder brechen Sie sie ab.",
  not_a_backup:
    "Diese Datei ist keine Sicherung von Keyward. Wählen Sie eine, die Keyward gemacht hat: Ihr Name beginnt mit backup- und endet mit .enc.",
  "not_found/no_backup_job": "Diesen Auftrag gibt es nicht.",
  "overloaded/stopping": "Der Server wird gerade beendet. Versuchen Sie es bald noch einmal.",
  restore_running:
    "Eine Sicherung wird wiederhergestellt, deshalb lässt sich gerade nichts ändern. Versuchen Sie es danach noch einmal; Sie müssen sich dann neu anmelden.",
  "vault_unavailable/busy":
    "Der Tresor nimmt gerade keine weiteren Anfragen an, weil er ihre Zahl begrenzt. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/denied":
    "Der Tresor lässt den Server nicht ein. Sehen Sie in die Logdatei des Servers: Seine Zugangsdaten gelten nicht mehr, oder es fehlt ein Recht, das keyward vault setup gibt.",
  "vault_unavailable/differs":
    "Die CA hat etwas anderes signiert, als verlangt war; das ist widerrufen. Führen Sie keyward vault setup aus: Es nennt, was im Tresor verändert wurde.",
  "vault_unavailable/full":
    "Der Datenträger des Tresors ist voll, oder ein Kontingent ist erreicht, und nichts wurde geändert. Schaffen Sie im Datenverzeichnis des Servers Platz und versuchen Sie es dann noch einmal.",
  "vault_unavailable/outdated":
    "Die Sperrliste des Tresors ist älter als eine, die er schon gegeben hat, deshalb wird sie nicht genommen. Finden Sie heraus, ob der Tresor aus einer älteren Kopie zurückgesetzt wurde.",
  "vault_unavailable/restore_incomplete": (p) =>
    `${p.failed} von ${count(p.all, "Dokument", "Dokumenten")} des Tresors ${p.failed === "1" ? "ließ" : "ließen"} sich nicht wiederherstellen.`,
  "vault_unavailable/sealed":
    "Der Tresor ist versiegelt. Er muss entsiegelt werden, oder der Server braucht seinen Schlüssel zum Entsiegeln.",
  "vault_unavailable/silent": "Der Tresor antwortet nicht. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/slow": "Der Tresor hat nicht rechtzeitig geantwortet. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/standby":
    "Kein Knoten des Tresors ist gerade aktiv: Sie wählen einen, oder sie werden entsiegelt. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/vault_incomplete":
    "Die Wiederherstellung brach ab, nachdem sie etwas geändert hatte, und Geheimnisse und Signaturen werden zurückgehalten, bis der Rest getan ist. {why} Sorgen Sie dafür, dass der Tresor da ist, und schließen Sie die Wiederherstellung dann ab, oder führen Sie auf dem Computer des Servers keyward restore --resume aus. Es muss dieselbe Sicherung sein.",
};

export const jobs: Sentences = { ...own, ...refused, ...storeSentences };
