import type { Sentences } from "../sentences";

/** What is wrong with a part of the service, by its code in the health report. */
export const findings: Sentences = {
  authority_silent: "Der Tresor liefert CA und Sperrliste nicht. Mehr dazu steht im Server-Log.",
  backups_none: "Es werden keine Sicherungen erstellt: Ein Passwort oder ein Zeitplan fehlt.",
  backups_trouble:
    "Eine Sicherung oder Testwiederherstellung ist fehlgeschlagen oder überfällig. Die Seite „Sicherungen“ zeigt, welche.",
  backups_unknown: "Der Stand der Sicherungen ist unbekannt: Die Datenbank antwortet nicht.",
  ca_expired: "Das CA-Zertifikat ist abgelaufen.",
  ca_expires:
    "Das CA-Zertifikat läuft am {date} ab. Zertifikate, die ab dem {from} ausgestellt werden, enden dann ebenfalls. Erneuern Sie die CA.",
  ca_shortens:
    "Das CA-Zertifikat läuft am {date} ab; jedes Zertifikat, das jetzt ausgestellt wird, endet dann. Erneuern Sie die CA.",
  clock_wrong: "CA oder Sperrliste liegen in der Zukunft: Die Uhr geht falsch.",
  crl_expired: "Die Sperrliste ist abgelaufen.",
  crl_late: "Die Sperrliste hätte längst erneuert werden müssen.",
  crl_older:
    "Der Tresor hat eine ältere Sperrliste als zuvor, wohl aus einem Snapshot. Ausgeliefert wird die neuere, bis sie abläuft.",
  database_altered:
    "Jemand hat die Tabellen der Datenbank verändert. Bis das rückgängig gemacht ist, bleiben Geheimnisse und Signaturen blockiert.",
  database_crowded: "PostgreSQL hat für diesen Server keine Verbindung mehr frei.",
  database_few:
    "PostgreSQL hat diesem Server kürzlich Verbindungen verweigert: Erlaubt waren {allowed} von {wanted}, Anfragen warten deshalb aufeinander. Erhöhen Sie die Grenze des Servers oder der Rolle, oder senken Sie DATABASE_MAX_CONNECTIONS.",
  database_missing: "Auf dem PostgreSQL-Server gibt es keine Datenbank dieses Namens. Prüfen Sie DATABASE_URL.",
  database_refused: "PostgreSQL lehnt Benutzer oder Passwort dieses Servers ab. Prüfen Sie DATABASE_URL.",
  database_untrusted:
    "Das Zertifikat des PostgreSQL-Servers wird nicht akzeptiert. Prüfen Sie Hostname und sslrootcert in DATABASE_URL.",
  database_busy:
    "Die Datenbank lässt sich lesen, nahm einen Schreibvorgang aber nicht rechtzeitig an: Etwas anderes sperrt sie gerade.",
  database_older:
    "Die Datenbank ist älter, als sie laut Tresor sein dürfte. Bis das auf dem Server mit keyward recover akzeptiert ist, kann sich niemand anmelden.",
  database_read_only: "Die Datenbank lässt sich lesen, nimmt aber keine Änderungen an. Mehr dazu steht im Server-Log.",
  database_silent: "Die Datenbank antwortet nicht. Mehr dazu steht im Server-Log.",
  disk_low: "Im Datenverzeichnis sind noch {mib} MiB frei.",
  disk_unknown: "Das Datenverzeichnis lässt sich nicht prüfen.",
  disk_untold: "Dieses System meldet keinen freien Speicherplatz.",
  follower_late: "Rückstand auf das Protokoll: {seconds} s.",
  follower_unknown: "Der Rückstand lässt sich nicht feststellen. Mehr dazu steht im Server-Log.",
  license: "Bei der Lizenz ist etwas zu tun. Die Seite „Lizenz“ zeigt, was.",
  mail_off: "E-Mail ist ausgeschaltet oder nicht eingerichtet: Benachrichtigungen erscheinen nur in Keyward.",
  mail_unknown: "Der Stand der E-Mails ist unbekannt: Die Datenbank antwortet nicht.",
  mail_waiting: "Nachrichten warten. Die Seite „E-Mail“ zeigt, warum.",
  ocsp_no_signer:
    "Keyward kann OCSP-Anfragen nicht beantworten: Die CA hat den Signierer nicht zertifiziert. Mehr dazu steht im Server-Log; mit VAULT_ADDR hilft keyward vault setup.",
  ocsp_signer_ends:
    "Das Zertifikat des OCSP-Signierers läuft am {at} ab und lässt sich nicht erneuern. Mehr dazu steht im Server-Log.",
  seal_broken:
    "Das Protokoll wurde von außen verändert und wird nicht weiter versiegelt. Führen Sie keyward audit verify aus.",
  seal_failed: "Die letzten Einträge des Protokolls konnten nicht versiegelt werden. Keyward versucht es weiter.",
  seal_late: "Einträge des Protokolls warten seit mehr als fünf Minuten auf ihr Siegel.",
  seal_unknown: "Das Siegel des Protokolls lässt sich nicht prüfen: Tresor oder Datenbank antworten nicht.",
  sign_on_down: "Über Single Sign-on kann sich niemand anmelden: {reason}",
  sign_on_off: "Single Sign-on ist ausgeschaltet: Die Anmeldung läuft über Passwörter.",
  sign_on_unknown: "Der Stand von Single Sign-on ist unbekannt: Die Datenbank antwortet nicht.",
  task_trouble: "Eine Aufgabe im Hintergrund ist fehlgeschlagen oder kommt nicht voran. Unten steht, welche.",
  timed_out: "Keine rechtzeitige Antwort.",
  vault_denied:
    "Der Tresor lehnt die Zugangsdaten dieses Servers ab. Ersetzen Sie sie; was abgelehnt wurde, steht im Server-Log.",
  vault_older:
    "Der Tresor ist älter, als er laut Datenbank sein dürfte. Geheimnisse und Signaturen bleiben blockiert, bis das hier oder mit keyward recover akzeptiert ist.",
  vault_sealed: "Der Tresor ist versiegelt: Ihm fehlt der Schlüssel zu seinen Daten.",
  vault_silent: "Der Tresor antwortet nicht.",
};
