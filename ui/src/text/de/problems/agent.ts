import type { Sentences } from "../../sentences";

const disk = "Sehen Sie nach der Platte und dem Ordner für temporäre Dateien.";

/** The agent, and the token that is plugged into the person's own computer. */
export const agent: Sentences = {
  agent_confirmation_required:
    "Sie haben diesen Agenten noch nicht benutzt. Führen Sie auf Ihrem Computer keyward-agent code aus: Steht dort {code}, bestätigen Sie ihn (confirmed_code). Steht dort etwas anderes, antwortet etwas anderes an seiner Stelle: Sagen Sie es Ihrer Verwaltung.",
  "agent_not_registered/agent_key_foreign":
    "Der Schlüssel des Agenten in der Datenbank wurde nicht mit Ihrer Sitzung angemeldet. Melden Sie Ihren Agenten neu an. Kommt das wieder, sagen Sie es der Verwaltung: Der Fingerabdruck des Schlüssels steht in der Logdatei des Servers.",
  "agent_not_registered/no_agent_key":
    "An dieser Sitzung ist kein Agent angemeldet. Starten Sie den Agenten auf Ihrem Computer, und melden Sie ihn an.",
  "busy/client_gone":
    "Die Verbindung brach ab, bevor sie an der Reihe war; nichts geschah. Versuchen Sie es noch einmal.",
  "busy/ending": "Der Agent wird gerade beendet; nichts geschah. Starten Sie ihn neu.",
  "busy/other_request":
    "Der Token ist mit einer anderen Anfrage beschäftigt. Versuchen Sie es noch einmal, wenn sie fertig ist.",
  "conflict/key_under_pin":
    "Ein anderes Programm hält den Management-Schlüssel dieses Tokens auf dem Token selbst, unter der PIN. Machen Sie das damit rückgängig, oder setzen Sie den Token zurück.",
  "conflict/no_key": "Im Slot ist kein Schlüssel, oder keiner, den der Token nennt. Erzeugen Sie darin einen neuen.",
  "current_required/current_pin":
    "Dieser Token sagt nicht, ob er noch die PIN ab Werk hat, und eine falsche kostet einen Versuch. Geben Sie die jetzige PIN an (current_pin).",
  "current_required/current_puk":
    "Dieser Token sagt nicht, ob er noch den PUK ab Werk hat, und ein falscher kostet einen Versuch. Geben Sie den jetzigen PUK an (current_puk).",
  decrypt_failed:
    "Das Geheimnis in {field} ist nicht für diesen Agenten, diesen Token und dieses Feld verschlüsselt. Wurde der Agent neu gestartet, melden Sie ihn noch einmal an Ihrer Sitzung an.",
  no_token: "Kein Token ist eingesteckt. Stecken Sie einen ein, und versuchen Sie es noch einmal.",
  "not_found/no_path": "Diesen Pfad hat der Agent nicht.",
  "origin_refused/host":
    "Der Host-Header nennt nicht diesen Agenten. Nehmen Sie http://127.0.0.1 und den Port des Agenten.",
  "origin_refused/other_os_user":
    "Die Verbindung kommt von einem anderen Benutzer als dem, unter dem der Agent läuft. Starten Sie einen eigenen Agenten.",
  "origin_refused/other_site":
    "Seiten anderer Websites dürfen den Agenten nicht benutzen. Öffnen Sie die Seite von Keyward.",
  "origin_refused/page_refused":
    "Diese Seite darf den Agenten nicht benutzen. Ist es Ihre, starten Sie den Agenten mit --origin und der Adresse der Seite.",
  pin_blocked: "Die PIN ist gesperrt. Entsperren Sie sie mit dem PUK.",
  pin_refused:
    "Der Token lehnt den neuen Wert ab und behält den alten: Vielleicht ist er zu einfach für seine Regeln. Wählen Sie einen anderen.",
  puk_blocked:
    "Der PUK ist gesperrt. Setzen Sie die Versuche mit Management-Schlüssel und PIN neu, oder setzen Sie den Token zurück.",
  "recovery_required/agent_key_replaced":
    "Der Schlüssel des Agenten in der Datenbank ist nicht der, der mit Ihrer Sitzung angemeldet wurde. Jemand hat die Datenbank verändert. Sagen Sie es der Verwaltung: In der Logdatei des Servers stehen beide Fingerabdrücke. Melden Sie Ihren Agenten neu an, steht dort wieder sein Schlüssel.",
  retries_low:
    "Nur noch ein Versuch ist übrig, deshalb wurde nichts versucht. Geben Sie den Wert ein, wenn Sie ihn kennen, oder entsperren Sie die PIN mit dem PUK.",
  slot_occupied:
    "Im Slot ist ein Schlüssel oder ein Zertifikat. Überschreiben (overwrite) zerstört den Schlüssel, reuse_key behält ihn.",
  "token_not_found/not_connected":
    "Dieser Token ist nicht eingesteckt, oder ein anderes Programm benutzt ihn. Stecken Sie ihn ein, schließen Sie andere Programme für Token, und versuchen Sie es noch einmal.",
  "tool_failed/answers":
    "Die Antworten des Tokens sind nicht lesbar. Vielleicht ist seine PIV-Anwendung beschädigt oder unbekannt; versuchen Sie einen anderen Token.",
  "tool_failed/csr_unverified":
    "Der Antrag passt nicht zum Schlüssel im Slot. Erzeugen Sie im Slot einen neuen Schlüssel.",
  "tool_failed/key_unusable":
    "Im Slot ist ein Schlüssel, für den sich kein Antrag machen lässt. Erzeugen Sie einen neuen.",
  "tool_failed/no_folder": `Der Agent kann den privaten Ordner nicht anlegen, den das Programm für Token braucht. ${disk}`,
  "tool_failed/no_handover": `Der Agent kann dem Programm für Token keine Datei geben. ${disk}`,
  "tool_failed/no_readers":
    "Das Programm für Token kann die Lesegeräte nicht auflisten. Sehen Sie nach, ob der Smartcard-Dienst (pcscd) läuft.",
  "tool_failed/no_version":
    "Das Programm für Token nennt seine Version nicht. Sehen Sie nach, ob --tool auf ykman zeigt.",
  "tool_failed/outcome_unknown":
    "Das Programm für Token ist fehlgeschlagen, vielleicht weil der Token herausgezogen wurde; vielleicht ist er verändert. Stecken Sie ihn ein, und finden Sie zuerst heraus, was er hat.",
  "tool_failed/tool_accepts_all":
    "Das Programm für Token hat einen Wert angenommen, der kein Management-Schlüssel ist. Installieren Sie eine Version von ykman, die der Agent kennt; der Management-Schlüssel des Tokens ist vielleicht geändert.",
  "tool_failed/unchanged":
    "Das Programm für Token ist fehlgeschlagen; der Token ist unverändert. Stecken Sie ihn neu ein, und versuchen Sie es noch einmal.",
  "tool_failed/unsupported": "Der Token kann das nicht, sagt das Programm für Token. Nehmen Sie einen anderen.",
  tool_missing:
    "Das Programm ykman ist auf diesem Computer nicht zu finden. Installieren Sie YubiKey Manager (Paket yubikey-manager), oder starten Sie den Agenten mit --tool und dem Pfad des Programms.",
  wrong_management_key: "Der Token nimmt diesen Management-Schlüssel nicht an. Finden Sie heraus, welchen er hat.",
  wrong_pin: "Die PIN ist falsch. Versuche übrig: {retries_left}.",
  wrong_puk: "Der PUK ist falsch. Versuche übrig: {retries_left}.",
};
