import type { Sentences } from "../../sentences";

const disk = "Prüfen Sie die Festplatte und den Ordner für temporäre Dateien.";

/** The agent, and the token that is plugged into the person's own computer. */
export const agent: Sentences = {
  agent_confirmation_required:
    "Sie haben diesen Agenten noch nicht benutzt. Führen Sie auf Ihrem Computer keyward-agent code aus: Steht dort {code}, bestätigen Sie ihn (confirmed_code). Steht dort etwas anderes, gibt sich etwas anderes als Ihr Agent aus: Informieren Sie Ihren Administrator.",
  "agent_not_registered/agent_key_foreign":
    "Der Schlüssel des Agenten in der Datenbank wurde nicht mit Ihrer Sitzung registriert. Registrieren Sie Ihren Agenten neu. Passiert es wieder, informieren Sie Ihren Administrator: Der Fingerabdruck des Schlüssels steht im Server-Log.",
  "agent_not_registered/no_agent_key":
    "In dieser Sitzung ist kein Agent registriert. Starten Sie den Agenten auf Ihrem Computer und registrieren Sie ihn.",
  "busy/client_gone": "Die Verbindung wurde vorher unterbrochen. Es ist nichts passiert. Versuchen Sie es noch einmal.",
  "busy/ending": "Der Agent wird gerade beendet. Es ist nichts passiert. Starten Sie ihn neu.",
  "busy/other_request": "Der Token ist mit einer anderen Anfrage beschäftigt. Versuchen Sie es danach noch einmal.",
  "conflict/key_under_pin":
    "Ein anderes Programm hat den Management-Schlüssel auf dem Token selbst gespeichert, geschützt durch die PIN. Richten Sie den Token neu ein, dann übernimmt ihn Keyward mit der PIN, oder machen Sie es mit diesem Programm rückgängig.",
  "conflict/no_key":
    "Der Slot enthält keinen Schlüssel, oder der Token meldet ihn nicht. Erzeugen Sie darin einen neuen.",
  "current_required/current_pin":
    "Dieser Token meldet nicht, ob er noch die PIN ab Werk hat, und eine falsche kostet einen Versuch. Geben Sie die jetzige PIN an (current_pin).",
  "current_required/current_puk":
    "Dieser Token meldet nicht, ob er noch die PUK ab Werk hat, und eine falsche kostet einen Versuch. Geben Sie die jetzige PUK an (current_puk).",
  decrypt_failed:
    "Das Geheimnis in {field} ist nicht für diesen Agenten, diesen Token und dieses Feld verschlüsselt. Wurde der Agent neu gestartet, registrieren Sie ihn noch einmal in Ihrer Sitzung.",
  no_token: "Es ist kein Token eingesteckt. Stecken Sie einen ein und versuchen Sie es noch einmal.",
  "not_found/no_path": "Diesen Pfad hat der Agent nicht.",
  "origin_refused/host":
    "Der Host-Header nennt nicht diesen Agenten. Nehmen Sie http://127.0.0.1 und den Port des Agenten.",
  "origin_refused/other_os_user":
    "Die Verbindung kommt von einem anderen Benutzer als dem, unter dem der Agent läuft. Starten Sie einen eigenen Agenten.",
  "origin_refused/other_site":
    "Seiten anderer Websites dürfen den Agenten nicht benutzen. Öffnen Sie die Seite von Keyward.",
  "origin_refused/page_refused":
    "Diese Seite darf den Agenten nicht benutzen. Ist es Ihre, starten Sie den Agenten mit --origin und der Adresse der Seite.",
  pin_blocked: "Die PIN ist gesperrt. Entsperren Sie sie mit der PUK.",
  pin_refused:
    "Der Token lehnt den neuen Wert ab und behält den alten: Vielleicht ist er nach seinen Regeln zu einfach. Wählen Sie einen anderen.",
  puk_blocked:
    "Die PUK ist gesperrt. Setzen Sie die Versuche mit Management-Schlüssel und PIN zurück, oder setzen Sie den Token zurück.",
  "recovery_required/agent_key_replaced":
    "Der Schlüssel des Agenten in der Datenbank ist nicht der, der mit Ihrer Sitzung registriert wurde. Jemand hat die Datenbank verändert. Informieren Sie Ihren Administrator: Im Server-Log stehen beide Fingerabdrücke. Registrieren Sie Ihren Agenten neu, um seinen Schlüssel dort wiederherzustellen.",
  retries_low:
    "Nur noch ein Versuch ist übrig, deshalb wurde nichts versucht. Geben Sie den Wert ein, wenn Sie ihn kennen, oder entsperren Sie die PIN mit der PUK.",
  slot_occupied:
    "Der Slot enthält einen Schlüssel oder ein Zertifikat. Überschreiben (overwrite) zerstört den Schlüssel, reuse_key behält ihn.",
  token_in_use:
    "Ein anderes Programm, zum Beispiel der scdaemon von gpg, hat einen Token an diesem Computer für sich allein. Beenden Sie dieses Programm (den scdaemon von gpg mit gpgconf --kill scdaemon) und versuchen Sie es noch einmal.",
  "token_not_found/not_connected":
    "Dieser Token ist nicht eingesteckt, oder ein anderes Programm benutzt ihn. Stecken Sie ihn ein, schließen Sie andere Programme für Token und versuchen Sie es noch einmal.",
  "tool_failed/answers":
    "Der Token antwortet unverständlich. Vielleicht ist seine PIV-Anwendung beschädigt oder unbekannt. Versuchen Sie einen anderen Token.",
  "tool_failed/csr_unverified":
    "Der Antrag passt nicht zum Schlüssel im Slot. Erzeugen Sie im Slot einen neuen Schlüssel.",
  "tool_failed/key_unusable": "Für den Schlüssel im Slot lässt sich kein Antrag erstellen. Erzeugen Sie einen neuen.",
  "tool_failed/tool_slow":
    "Das Programm für Token (ykman) antwortet nicht. Versuchen Sie es gleich noch einmal; hilft das nicht, starten Sie den Agenten neu.",
  "tool_failed/no_folder": `Der Agent kann den privaten Ordner nicht anlegen, den das Programm für Token braucht. ${disk}`,
  "tool_failed/no_handover": `Der Agent kann dem Programm für Token keine Datei geben. ${disk}`,
  "tool_failed/no_readers":
    "Das Programm für Token kann die Lesegeräte nicht auflisten. Prüfen Sie, ob der Smartcard-Dienst (pcscd) läuft.",
  "tool_failed/no_version": "Das Programm für Token nennt seine Version nicht. Prüfen Sie, ob --tool auf ykman zeigt.",
  "tool_failed/outcome_unknown":
    "Das Programm für Token ist fehlgeschlagen, vielleicht weil der Token herausgezogen wurde; vielleicht ist er verändert. Stecken Sie ihn ein und prüfen Sie zuerst, was auf ihm ist.",
  "tool_failed/tool_accepts_all":
    "Das Programm für Token hat einen Wert angenommen, der kein Management-Schlüssel ist. Installieren Sie eine Version von ykman, die der Agent kennt. Der Management-Schlüssel des Tokens ist vielleicht geändert.",
  "tool_failed/unchanged":
    "Das Programm für Token ist fehlgeschlagen; der Token ist unverändert. Stecken Sie ihn neu ein und versuchen Sie es noch einmal.",
  "tool_failed/unsupported": "Der Token unterstützt das nicht. Nehmen Sie einen anderen.",
  "tool_missing/broken":
    "Das Programm ykman ist auf diesem Computer vorhanden, startet aber nicht: Es oder eines seiner Python-Module ist beschädigt oder fehlt. Installieren Sie YubiKey Manager neu (Paket yubikey-manager), oder starten Sie den Agenten mit --tool und dem Pfad eines Programms, das läuft.",
  "tool_missing/not_found":
    "Das Programm ykman ist auf diesem Computer nicht zu finden. Installieren Sie YubiKey Manager (Paket yubikey-manager), oder starten Sie den Agenten mit --tool und dem Pfad des Programms.",
  "tool_missing/too_old":
    "Das Programm ykman auf diesem Computer hat Version {version}, und der Agent braucht {least} oder neuer. Aktualisieren Sie YubiKey Manager (Paket yubikey-manager), oder starten Sie den Agenten mit --tool und dem Pfad eines neueren Programms.",
  wrong_management_key: "Der Token akzeptiert diesen Management-Schlüssel nicht. Ermitteln Sie, welchen er hat.",
  wrong_pin: "Die PIN ist falsch. Versuche übrig: {retries_left}.",
  wrong_puk: "Die PUK ist falsch. Versuche übrig: {retries_left}.",
};
