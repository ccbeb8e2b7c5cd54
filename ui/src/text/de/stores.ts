import type { Sentences } from "../sentences";

const again = "Versuchen Sie es noch einmal.";

/** What is wrong with where backups are kept, or with the disk on which they are made. */
export const storeSentences: Sentences = {
  "not_found/no_backup_object": "Diese Datei ist nicht im Speicher. Laden Sie die Liste der Sicherungen neu.",
  "permission_denied/blob_link_ended":
    "Dieser Link gilt nicht mehr. Holen Sie in der Liste der Sicherungen einen neuen.",
  "permission_denied/blob_link_invalid":
    "Dieser Link ist ungültig oder unvollständig. Holen Sie in der Liste der Sicherungen einen neuen.",
  "permission_denied/blob_link_withdrawn":
    "Wer diesen Link erstellt hat, darf keine Sicherungen mehr herunterladen. Bitten Sie einen Administrator um einen neuen.",
  "storage_unavailable/backup_differs":
    "Der Speicher liefert nicht zurück, was geschrieben wurde, daher ist diese Sicherung ungültig. Finden Sie heraus, was Dateien im Speicher oder auf dem Weg dorthin verändert, und erstellen Sie dann eine neue.",
  "storage_unavailable/backup_directory_broken":
    "Das Sicherungsverzeichnis lässt sich gerade nicht lesen oder schreiben. Der Systemfehler steht im Server-Log. Prüfen Sie die Festplatte.",
  "storage_unavailable/backup_directory_denied":
    "Der Server hat keine Rechte am Sicherungsverzeichnis. Machen Sie seinen Benutzer zum Eigentümer des Verzeichnisses und seines Inhalts.",
  "storage_unavailable/backup_directory_file":
    "Anstelle des Sicherungsverzeichnisses oder eines Ordners darin liegt eine Datei. Verschieben Sie sie oder wählen Sie ein anderes Verzeichnis oder Präfix.",
  "storage_unavailable/backup_directory_full":
    "Auf der Festplatte mit dem Sicherungsverzeichnis ist nicht genug Platz, oder ein Kontingent oder Dateilimit ist zu niedrig. Schaffen Sie dort Platz oder löschen Sie alte Sicherungen.",
  "storage_unavailable/backup_directory_missing":
    "Das Sicherungsverzeichnis fehlt. Hängen Sie es ein oder legen Sie es für den Benutzer des Servers neu an.",
  "storage_unavailable/backup_directory_no_links":
    "Das Dateisystem des Sicherungsverzeichnisses unterstützt keine Hardlinks, die Keyward braucht. Wählen Sie ein Verzeichnis auf einem anderen, etwa ext4 oder XFS, oder einen S3-Speicher. FAT, exFAT und manche Netzlaufwerke unterstützen keine.",
  "storage_unavailable/backup_directory_read_only":
    "Das Sicherungsverzeichnis ist schreibgeschützt eingehängt. Hängen Sie es beschreibbar ein. Hat die Festplatte Fehler, tauschen Sie sie aus.",
  "storage_unavailable/backup_disk_denied":
    "Der Server kann nicht in sein Datenverzeichnis schreiben, in dem er Sicherungen verschlüsselt zwischenspeichert. Machen Sie seinen Benutzer zum Eigentümer dieses Verzeichnisses und hängen Sie es beschreibbar ein.",
  "storage_unavailable/backup_disk_full":
    "Auf der Festplatte mit dem Datenverzeichnis des Servers ist nicht genug Platz, um eine Sicherung zwischenzuspeichern, oder ein Kontingent oder Dateilimit ist zu niedrig. Schaffen Sie dort Platz und versuchen Sie es noch einmal.",
  "storage_unavailable/backup_incomplete":
    "Geschrieben wurden {written}, zurückgelesen wurden {found}. Daher ist diese Sicherung ungültig. Erstellen Sie eine neue. Scheitert auch die, melden Sie es.",
  "storage_unavailable/backup_left_behind":
    "{why} Die Datei {key} liegt vielleicht noch im Speicher. Löschen Sie sie: Sie wurde nicht geprüft.",
  "storage_unavailable/backup_left_locked":
    "{why} Die Datei {key} ist im Speicher gesperrt und bleibt dort. Sie wurde nicht geprüft und steht daher nicht in der Liste. Keyward löscht sie, wenn ihre Sperre abgelaufen und sie älter als die Aufbewahrungsfrist ist.",
  "storage_unavailable/backup_store_silent":
    "Der Speicher hat nicht innerhalb von zehn Sekunden geantwortet. Prüfen Sie, ob er läuft und dieser Server ihn erreicht.",
  "storage_unavailable/backup_store_slow":
    "Der Speicher hat nicht rechtzeitig geantwortet. Prüfen Sie, ob er läuft und ob das Netz für eine Sicherung dieser Größe schnell genug ist. Versuchen Sie es dann noch einmal.",
  "storage_unavailable/probe_differs":
    "Der Speicher liefert nicht zurück, was geschrieben wurde. Finden Sie heraus, was Dateien im Speicher oder auf dem Weg dorthin verändert.",
  "storage_unavailable/restore_disk_full":
    "Im Datenverzeichnis des Servers sind noch {free} MB frei. Die Wiederherstellung braucht dort {needed} MB. Schaffen Sie Platz und versuchen Sie es noch einmal. Es wurde nichts geändert.",
  "storage_unavailable/s3_access_key":
    "Der S3-Speicher kennt die Access Key ID nicht, oder sie ist deaktiviert. Korrigieren Sie sie in den Einstellungen für Sicherungen oder prüfen Sie den Endpunkt.",
  "storage_unavailable/s3_ca_file":
    "Die Datei aus S3_CA_FILE lässt sich nicht lesen oder enthält kein Zertifikat im PEM-Format. Korrigieren Sie die Einstellung oder die Datei.",
  "storage_unavailable/s3_certificate":
    "Das Zertifikat des S3-Speichers ist von einer CA, der dieser Server nicht vertraut. Geben Sie in S3_CA_FILE eine Datei mit dieser CA an.",
  "storage_unavailable/s3_certificate_ended":
    "Das Zertifikat des S3-Speichers ist abgelaufen oder gilt noch nicht. Erneuern Sie es, oder stellen Sie die Uhr dieses Servers, falls sie falsch geht.",
  "storage_unavailable/s3_certificate_name":
    "Das Zertifikat des S3-Speichers gilt für einen anderen Namen. Geben Sie als Endpunkt den Namen aus dem Zertifikat ein. Steht der Bucket im Hostnamen, schalten Sie „Adressen im Path-Style“ ein.",
  "storage_unavailable/s3_changed": `Die Datei wurde im S3-Speicher ersetzt, während sie gelesen wurde. Finden Sie heraus, was sonst dort schreibt. ${again}`,
  "storage_unavailable/s3_clock":
    "Die Uhren dieses Servers und des S3-Speichers weichen um mehr als 15 Minuten voneinander ab. Stellen Sie beide, am besten per NTP.",
  "storage_unavailable/s3_clock_fast":
    "Die Uhr dieses Servers geht gegenüber der des S3-Speichers um {difference} vor. Er lehnt Anfragen ab, die um mehr als 15 Minuten abweichen. Stellen Sie die Uhr dieses Servers, am besten per NTP.",
  "storage_unavailable/s3_clock_slow":
    "Die Uhr dieses Servers geht gegenüber der des S3-Speichers um {difference} nach. Er lehnt Anfragen ab, die um mehr als 15 Minuten abweichen. Stellen Sie die Uhr dieses Servers, am besten per NTP.",
  "storage_unavailable/s3_cut": `Die Verbindung zum S3-Speicher wurde mehrmals unterbrochen. Prüfen Sie das Netz und Proxys dazwischen, die Zeit oder Größe begrenzen. ${again}`,
  "storage_unavailable/s3_denied":
    "Der S3-Speicher erlaubt dieser Access Key ID nicht, was Sicherungen brauchen: {action}. Ergänzen Sie das in ihrer Richtlinie, für den Bucket und alles unter dem Präfix.",
  "storage_unavailable/s3_differs":
    "Der S3-Speicher hat die Datei angenommen, aber nicht so, wie sie gesendet wurde. Prüfen Sie den Speicher und ob der Endpunkt seine API ist.",
  "storage_unavailable/s3_down":
    "Der S3-Speicher ist gerade gestört ({status} {code}). Versuchen Sie es später noch einmal; mehr steht in seinem eigenen Log.",
  "storage_unavailable/s3_foreign":
    "Was am Endpunkt antwortet, ist kein S3-Speicher, oder ein Proxy antwortet an seiner Stelle. Prüfen Sie, ob Schema (https:// oder http://), Host und Port die seiner API sind, nicht die seiner Konsole.",
  "storage_unavailable/s3_full":
    "Der S3-Speicher hat nicht genug Platz, oder ein Kontingent ist ausgeschöpft. Schaffen Sie dort Platz, erhöhen Sie das Kontingent oder löschen Sie alte Sicherungen.",
  "storage_unavailable/s3_host":
    "Der Name des S3-Speichers lässt sich nicht auflösen. Korrigieren Sie Endpunkt oder Region und Bucket in den Einstellungen für Sicherungen, oder prüfen Sie das DNS dieses Servers. Ist es kein Speicher von Amazon, schalten Sie „Adressen im Path-Style“ ein.",
  "storage_unavailable/s3_kms":
    "Der S3-Speicher kann den KMS-Schlüssel nicht benutzen, mit dem er Dateien verschlüsselt. Prüfen Sie, ob der Schlüssel aktiv ist und die Access Key ID damit kms:GenerateDataKey und kms:Decrypt darf.",
  "storage_unavailable/s3_lock":
    "Object Lock ist in den Einstellungen für Sicherungen eingeschaltet, aber der Bucket hat es nicht, oder umgekehrt. Legen Sie einen Bucket mit Object Lock an oder schalten Sie die Einstellung aus.",
  "storage_unavailable/s3_no_bucket":
    "Der S3-Speicher hat keinen Bucket dieses Namens. Korrigieren Sie den Bucket in den Einstellungen für Sicherungen oder legen Sie ihn an. Ist es kein Speicher von Amazon, schalten Sie „Adressen im Path-Style“ ein.",
  "storage_unavailable/s3_no_encryption":
    "Der S3-Speicher kann Dateien nicht mit {algorithm} verschlüsseln (501), denn er hat kein KMS. Schalten Sie die Verschlüsselung durch den Speicher in den Einstellungen für Sicherungen aus oder richten Sie das KMS des Speichers ein. Keyward verschlüsselt Sicherungen in jedem Fall.",
  "storage_unavailable/s3_no_tls":
    "Was am Endpunkt antwortet, spricht kein TLS. Geben Sie dort http:// statt https:// oder einen anderen Port ein.",
  "storage_unavailable/s3_other":
    "Der S3-Speicher lehnt die Anfrage ab ({status} {code}). Seine Antwort steht im Server-Log. Vergleichen Sie die Einstellungen für Sicherungen mit denen des Speichers.",
  "storage_unavailable/s3_refused":
    "Unter der Adresse des S3-Speichers antwortet nichts. Prüfen Sie, ob der Speicher läuft und ob der Port im Endpunkt stimmt.",
  "storage_unavailable/s3_region":
    "Der Bucket ist in einer anderen Region. Setzen Sie in den Einstellungen für Sicherungen die Region auf {region}.",
  "storage_unavailable/s3_region_unknown":
    "Der Bucket ist in einer anderen Region oder unter einer anderen Adresse. Setzen Sie Region und Endpunkt auf die des Buckets.",
  "storage_unavailable/s3_secret_key":
    "Laut S3-Speicher gehört der Secret Access Key nicht zu dieser Access Key ID. Geben Sie ihn in den Einstellungen für Sicherungen neu ein. Ist er richtig, verändert ein Proxy vor dem Speicher die Anfragen: Pfad, Query und Host müssen unverändert bleiben.",
  "storage_unavailable/s3_silent":
    "Der S3-Speicher antwortet nicht rechtzeitig. Prüfen Sie, ob er läuft, ob der Endpunkt stimmt und ob Firewalls diesen Server durchlassen.",
  "storage_unavailable/s3_temporary_key":
    "Laut S3-Speicher war diese Access Key ID nur vorübergehend gültig und ist abgelaufen. Geben Sie in den Einstellungen für Sicherungen eine dauerhafte mit ihrem Secret Access Key ein.",
  "storage_unavailable/s3_throttled":
    "Der S3-Speicher drosselt die Anfragen. Versuchen Sie es später noch einmal. Hält das an, erhöhen Sie seine Grenze für Anfragen.",
  "storage_unavailable/s3_tls":
    "Der S3-Speicher spricht TLS. Geben Sie als Endpunkt https:// statt http:// oder einen anderen Port ein.",
  "storage_unavailable/s3_unreachable":
    "Der S3-Speicher ist von diesem Server aus nicht erreichbar. Prüfen Sie Routen und Firewalls dazwischen.",
  "storage_unavailable/s3_unsure":
    "Die Verbindung zum S3-Speicher wurde unterbrochen, bevor er die Datei bestätigt hat, und jetzt antwortet er nicht. Laden Sie später die Liste der Sicherungen neu: Vielleicht ist die Datei dort.",
};
