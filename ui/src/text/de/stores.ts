import type { Sentences } from "../sentences";

const again = "Versuchen Sie es noch einmal.";

/** What is wrong with where backups are kept, or with the disk on which they are made. */
export const storeSentences: Sentences = {
  "not_found/no_backup_object": "Diese Datei ist nicht im Speicher. Laden Sie die Liste der Sicherungen neu.",
  "permission_denied/blob_link_ended":
    "Dieser Link gilt nicht mehr. Holen Sie in der Liste der Sicherungen einen neuen.",
  "permission_denied/blob_link_invalid":
    "Dieser Link ist keiner von uns, oder nicht der ganze. Holen Sie in der Liste der Sicherungen einen neuen.",
  "storage_unavailable/backup_differs":
    "Der Speicher gab nicht zurück, was hineingeschrieben wurde, deshalb zählt diese Sicherung nicht. Suchen Sie, was zwischen diesem Server und dem Speicher oder in ihm Dateien verändert, und machen Sie dann eine neue.",
  "storage_unavailable/backup_directory_broken":
    "Das Verzeichnis der Sicherungen lässt sich gerade nicht lesen oder schreiben. Den Fehler des Systems nennt die Logdatei des Servers; sehen Sie nach der Platte.",
  "storage_unavailable/backup_directory_denied":
    "Der Server hat kein Recht am Verzeichnis der Sicherungen. Machen Sie seinen Benutzer zum Eigentümer des Verzeichnisses und von allem darin.",
  "storage_unavailable/backup_directory_file":
    "Wo das Verzeichnis der Sicherungen oder ein Ordner darin sein sollte, liegt eine Datei. Nehmen Sie sie weg, oder wählen Sie ein anderes Verzeichnis oder Präfix.",
  "storage_unavailable/backup_directory_full":
    "Die Platte mit dem Verzeichnis der Sicherungen hat für diese keinen Platz, oder eine Quote oder Grenze für Dateien ist zu niedrig. Schaffen Sie dort Platz, oder löschen Sie alte Sicherungen.",
  "storage_unavailable/backup_directory_missing":
    "Das Verzeichnis der Sicherungen ist nicht da. Hängen Sie es ein oder legen Sie es neu an, für den Benutzer des Servers.",
  "storage_unavailable/backup_directory_no_links":
    "Das Dateisystem mit dem Verzeichnis der Sicherungen kennt keine Hardlinks, und durch einen bekommt eine fertige Sicherung ihren Namen. Wählen Sie ein Verzeichnis auf einem anderen, etwa ext4 oder XFS, oder einen S3-Speicher; FAT, exFAT und manche Netzlaufwerke kennen keine.",
  "storage_unavailable/backup_directory_read_only":
    "Das Verzeichnis der Sicherungen ist nur lesbar eingehängt. Hängen Sie es so ein, dass der Server schreiben kann; nach Fehlern der Platte tauschen Sie sie aus.",
  "storage_unavailable/backup_disk_denied":
    "Der Server kann nicht in sein Datenverzeichnis schreiben, wo eine Sicherung verschlüsselt liegt, während sie gemacht und geprüft wird. Machen Sie seinen Benutzer zum Eigentümer dieses Verzeichnisses, und hängen Sie es beschreibbar ein.",
  "storage_unavailable/backup_disk_full":
    "Die Platte mit dem Datenverzeichnis des Servers hat keinen Platz für eine Sicherung, die dort verschlüsselt liegt, während sie gemacht und geprüft wird; oder eine Quote oder Grenze für Dateien ist zu niedrig. Schaffen Sie dort Platz, und versuchen Sie es dann noch einmal.",
  "storage_unavailable/backup_incomplete":
    "Zurückgelesen wurden {found}, hineingeschrieben wurden {written}; deshalb zählt diese Sicherung nicht. Machen Sie eine neue; scheitert auch die, melden Sie es.",
  "storage_unavailable/backup_left_behind":
    "{why} Die Datei {key} liegt vielleicht noch im Speicher: Dass sie sich wiederherstellen lässt, ist nicht erwiesen; löschen Sie sie also.",
  "storage_unavailable/backup_store_slow":
    "Der Speicher wurde nicht rechtzeitig fertig. Sehen Sie nach, ob er läuft und das Netz zu ihm für eine Sicherung dieser Größe schnell genug ist, und versuchen Sie es dann noch einmal.",
  "storage_unavailable/probe_differs":
    "Der Speicher gab nicht zurück, was hineingeschrieben wurde. Suchen Sie, was zwischen diesem Server und dem Speicher oder in ihm Dateien verändert.",
  "storage_unavailable/restore_disk_full":
    "Die Platte mit dem Datenverzeichnis des Servers hat noch {free} MB, und diese Sicherung braucht dort {needed} MB, während sie wiederhergestellt wird. Schaffen Sie Platz, und versuchen Sie es dann noch einmal. Nichts wurde geändert.",
  "storage_unavailable/s3_access_key":
    "Der S3-Speicher kennt die Access Key ID nicht, oder sie ist gesperrt. Berichtigen Sie sie in den Einstellungen der Sicherungen, oder sehen Sie nach, ob der Endpunkt der richtige ist.",
  "storage_unavailable/s3_certificate":
    "Das Zertifikat des S3-Speichers ist von einer CA, der dieser Server nicht vertraut. Fügen Sie sie zu den Zertifikaten des Systems hinzu, oder lassen Sie das Zertifikat nicht prüfen, wenn sonst niemand im Netz dazwischen ist.",
  "storage_unavailable/s3_certificate_ended":
    "Das Zertifikat des S3-Speichers ist abgelaufen oder gilt noch nicht. Erneuern Sie es, oder stellen Sie die Uhr dieses Servers, falls sie falsch geht.",
  "storage_unavailable/s3_certificate_name":
    "Das Zertifikat des S3-Speichers ist für einen anderen Namen. Nehmen Sie als Endpunkt den Namen im Zertifikat; steht der Bucket im Namen des Hosts, schalten Sie „Bucket im Pfad der Adresse“ ein.",
  "storage_unavailable/s3_changed": `Die Datei wurde im S3-Speicher ersetzt, während sie gelesen wurde. Suchen Sie, was sonst dort schreibt. ${again}`,
  "storage_unavailable/s3_clock":
    "Die Uhren dieses Servers und des S3-Speichers gehen um mehr als 15 Minuten auseinander. Stellen Sie beide, am besten durch NTP.",
  "storage_unavailable/s3_clock_fast":
    "Die Uhr dieses Servers geht gegenüber der des S3-Speichers um {difference} vor, und er nimmt keine Anfrage an, die um mehr als 15 Minuten abweicht. Stellen Sie die Uhr dieses Servers, am besten durch NTP.",
  "storage_unavailable/s3_clock_slow":
    "Die Uhr dieses Servers geht gegenüber der des S3-Speichers um {difference} nach, und er nimmt keine Anfrage an, die um mehr als 15 Minuten abweicht. Stellen Sie die Uhr dieses Servers, am besten durch NTP.",
  "storage_unavailable/s3_cut": `Die Verbindung zum S3-Speicher brach mehrmals ab. Sehen Sie nach dem Netz, und nach Proxys dazwischen, die Zeit oder Größe begrenzen. ${again}`,
  "storage_unavailable/s3_denied":
    "Der S3-Speicher erlaubt dieser Access Key ID nicht, was Sicherungen brauchen: {action}. Fügen Sie das ihrer Richtlinie hinzu, für den Bucket und für alles unter dem Präfix.",
  "storage_unavailable/s3_differs":
    "Der S3-Speicher hat die Datei angenommen, aber nicht so, wie sie gesendet wurde. Sehen Sie nach, ob der Endpunkt seine API ist, und sehen Sie nach dem Speicher.",
  "storage_unavailable/s3_down":
    "Der S3-Speicher hat gerade selbst Schwierigkeiten ({status} {code}). Versuchen Sie es später noch einmal; mehr steht in seinem eigenen Log.",
  "storage_unavailable/s3_foreign":
    "Was am Endpunkt antwortet, ist kein S3-Speicher, oder ein Proxy davor antwortet an seiner Stelle. Sehen Sie nach, ob Schema (https:// oder http://), Host und Port die seiner API sind, nicht die seiner Konsole.",
  "storage_unavailable/s3_full":
    "Der S3-Speicher hat für diese Sicherung keinen Platz, oder eine Quote ist ausgeschöpft. Schaffen Sie dort Platz, erhöhen Sie die Quote, oder löschen Sie alte Sicherungen.",
  "storage_unavailable/s3_host":
    "Der Name des S3-Speichers lässt sich nicht auflösen. Berichtigen Sie den Endpunkt, oder Region und Bucket, in den Einstellungen der Sicherungen; stimmen sie, sehen Sie nach dem DNS dieses Servers. Ist der Speicher nicht der von Amazon, schalten Sie „Bucket im Pfad der Adresse“ ein.",
  "storage_unavailable/s3_kms":
    "Der S3-Speicher kann den KMS-Schlüssel nicht benutzen, mit dem er Dateien verschlüsselt. Sehen Sie nach, ob der Schlüssel aktiv ist und die Access Key ID damit kms:GenerateDataKey und kms:Decrypt darf.",
  "storage_unavailable/s3_lock":
    "Object Lock ist in den Einstellungen der Sicherungen an, und der Bucket wurde nicht dafür angelegt, oder umgekehrt. Legen Sie einen Bucket mit Object Lock an, oder schalten Sie die Einstellung aus.",
  "storage_unavailable/s3_no_bucket":
    "Der S3-Speicher hat keinen Bucket dieses Namens. Berichtigen Sie den Bucket in den Einstellungen der Sicherungen, oder legen Sie ihn an; ist der Speicher nicht der von Amazon, schalten Sie „Bucket im Pfad der Adresse“ ein.",
  "storage_unavailable/s3_no_tls":
    "Was am Endpunkt antwortet, spricht kein TLS. Schreiben Sie dort http:// statt https://, oder einen anderen Port.",
  "storage_unavailable/s3_other":
    "Der S3-Speicher lehnt die Anfrage ab ({status} {code}). Was er dazu sagt, steht in der Logdatei des Servers; vergleichen Sie die Einstellungen der Sicherungen mit denen des Speichers.",
  "storage_unavailable/s3_refused":
    "Unter der Adresse des S3-Speichers nimmt nichts Verbindungen an. Sehen Sie nach, ob der Speicher läuft, und berichtigen Sie den Port im Endpunkt.",
  "storage_unavailable/s3_region":
    "Der Bucket ist in einer anderen Region. Setzen Sie in den Einstellungen der Sicherungen die Region auf {region}.",
  "storage_unavailable/s3_region_unknown":
    "Der Bucket ist in einer anderen Region oder unter einer anderen Adresse. Setzen Sie die Region, und den Endpunkt, falls es einen gibt, auf die des Buckets.",
  "storage_unavailable/s3_secret_key":
    "Der S3-Speicher sagt, dass der Secret Access Key nicht der dieser Access Key ID ist. Geben Sie ihn in den Einstellungen der Sicherungen neu ein. Ist er richtig, verändert ein Proxy vor dem Speicher die Anfragen: Er muss Pfad, Query und Host lassen, wie sie sind.",
  "storage_unavailable/s3_silent":
    "Der S3-Speicher antwortet nicht rechtzeitig. Sehen Sie nach, ob er läuft, ob der Endpunkt stimmt, und ob Firewalls diesen Server durchlassen.",
  "storage_unavailable/s3_temporary_key":
    "Der S3-Speicher sagt, dass diese Access Key ID eine vorübergehende und abgelaufen ist. Geben Sie in den Einstellungen der Sicherungen eine dauerhafte mit ihrem Secret Access Key an.",
  "storage_unavailable/s3_throttled":
    "Der S3-Speicher nimmt gerade keine Anfragen mehr an (er bat mehrmals, langsamer zu sein). Versuchen Sie es später noch einmal; hört es nicht auf, erhöhen Sie seine Grenze für Anfragen.",
  "storage_unavailable/s3_unreachable":
    "Von diesem Server führt kein Netz zum S3-Speicher. Sehen Sie nach Routen und Firewalls dazwischen.",
  "storage_unavailable/s3_unsure":
    "Die Verbindung zum S3-Speicher brach ab, bevor er sagte, dass die Datei dort ist, und jetzt antwortet er nicht. Laden Sie die Liste der Sicherungen, wenn er es tut: Vielleicht ist die Datei dort.",
};
