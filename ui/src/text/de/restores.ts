import type { Catalogue } from "../en";

export const restores: Pick<Catalogue["backups"], "sheet" | "restore" | "retry" | "restoring"> = {
  sheet: {
    title: "Notfallblatt für Keyward",
    installation: "Installation",
    printed: "Gedruckt",
    files: "Speicherort",
    names: "Dateiname",
    prefix: "Zeiten in UTC; nehmen Sie die neueste vollständige",
    password: "Verschlüsselungspasswort",
    passwordHint: "Schreiben Sie es genau ab. Achten Sie auf Groß- und Kleinschreibung.",
    valid: "Für Sicherungen ab (Datum)",
    steps: "So stellen Sie auf einem neuen Server wieder her",
    how: [
      "Installieren Sie dieselbe oder eine neuere Version von Keyward. Starten Sie sie noch nicht.",
      "Kopieren Sie die Sicherungsdatei auf den Server.",
      "Führen Sie den Befehl unten aus. Er fragt nach dem Passwort, prüft die ganze Datei, bevor er etwas ändert, und zeigt den Fortschritt an.",
      "Starten Sie Keyward unter derselben Adresse wie zuvor. Alle melden sich mit ihrem damaligen Passwort neu an.",
    ],
    command: "keyward restore --data /var/lib/keyward --file backup-full-….enc",
    living: "Läuft Keyward noch, stellen Sie stattdessen unter „System“, „Sicherungen“ wieder her.",
    safe: "Wer dieses Blatt mit dem Passwort und dazu eine Sicherungsdatei hat, hat die Geheimnisse aller Token. Verwahren Sie es in einem Safe, getrennt von den Sicherungen.",
  },
  restore: {
    title: "Sicherung wiederherstellen",
    steps: { choose: "Sicherung", password: "Passwort", confirm: "Bestätigen" },
    choose: {
      label: "Sicherung",
      hint: "Die neueste ist meist die richtige.",
      next: "Weiter",
    },
    password: {
      label: "Verschlüsselungspasswort",
      hint: "Das Passwort, das galt, als diese Sicherung erstellt wurde. Achten Sie auf Groß- und Kleinschreibung.",
      check: "Passwort prüfen",
      wrong: "Dieses Passwort öffnet die Sicherung nicht. Wurde es seither geändert, geben Sie das frühere ein.",
      right: "Das Passwort öffnet die Sicherung.",
      made: "Erstellt",
      audit: { yes: "mit Protokoll", no: "ohne Protokoll" },
    },
    happens: {
      replaced: "Aus der Sicherung",
      replacedTexts: [
        "Alles, was es nicht mehr gibt: Konten, Organisationen, Token, Zertifikate, Webhooks und Geheimnisse.",
        "Namen der Organisationen; Bezeichnung, Modell und Firmware der Token, so wie sie damals waren.",
      ],
      stays: "Bleibt wie jetzt",
      staysTexts: [
        "Alles, was seither hinzugekommen ist: Nur offene Einladungen werden gelöscht.",
        "Konten: Benutzername, E-Mail-Adresse, Rolle, Organisation, Passwort, und ob sie aktiv sind. Eine Wiederherstellung gibt niemandem mehr Zugriff als jetzt.",
        "E-Mail-Domains der Organisationen und ob sie aktiv sind, Single Sign-on, Passwortregeln, E-Mail und Webhooks.",
        "Inhaber, Organisation und Status der Token.",
        "Alle Widerrufe, von jetzt und aus der Sicherung: Nichts Widerrufenes wird wieder gültig.",
        "Neuere PINs und Schlüssel von Token. Die aus der Sicherung bleiben als frühere Werte erhalten, denn ein Token kann den einen oder den anderen haben.",
        "Das Protokoll und diese Einstellungen für Sicherungen.",
        "Wenn Sie all das so haben wollen wie in der Sicherung, stellen Sie sie mit keyward restore auf einem neuen Server wieder her.",
      ],
      after: "Danach",
      afterTexts: [
        "Alle sind abgemeldet, auch Sie, und alle API-Schlüssel sind widerrufen.",
        "Konten, die es jetzt nicht gibt, kommen deaktiviert zurück. Aktivieren Sie die richtigen unter „Personen“.",
        "Webhooks, die seither gelöscht wurden, kommen ausgeschaltet zurück.",
      ],
      vaultOnly: [
        "Geheimnisse von Token, die der Tresor verloren hat. Was er jetzt hat, bleibt gültig; die Werte aus der Sicherung bleiben als frühere erhalten.",
      ],
      vaultAfter: "Alle werden abgemeldet, auch Sie, und alle API-Schlüssel widerrufen.",
      databaseOnly: "Die Geheimnisse im Tresor ändern sich nicht: Diese Sicherung enthält keine.",
      meanwhile:
        "Sobald die Datei geprüft ist, kann niemand etwas ändern, bis die Wiederherstellung endet. Lesen können alle, bis die Datenbank ersetzt wird.",
      replaceCA: "Neue Installation samt CA ersetzen",
      replaceCAHint:
        "Nur für die Sicherung einer anderen Installation, wenn diese hier neu ist. Alle Konten und Einstellungen kommen dann aus der Sicherung, und Zertifikate der jetzigen CA gelten nicht mehr.",
    },
    word: "WIEDERHERSTELLEN",
    type: (word) => `Geben Sie zur Bestätigung ${word} ein`,
    back: "Zurück",
    begin: "Jetzt wiederherstellen",
  },
  retry: {
    title: "Wiederherstellung abschließen?",
    text: "Keyward lädt dieselbe Sicherung noch einmal herunter und ergänzt, was im Tresor fehlt.",
    action: "Erneut versuchen",
  },
  restoring: {
    title: "Wiederherstellung",
    going:
      "Sie können diese Seite verlassen. Die Wiederherstellung läuft weiter und meldet Sie ab, aber diese Seite zeigt den Fortschritt weiter an.",
    silent: "Der Server antwortet nicht. Diese Seite versucht es weiter.",
    done: "Wiederherstellung abgeschlossen",
    doneText: "Alle sind abgemeldet, auch Sie. Melden Sie sich mit dem Passwort an, das Ihr Konto jetzt hat.",
    warnings: "Wiederherstellung mit Warnungen abgeschlossen",
    incomplete: "Die Wiederherstellung ist nicht abgeschlossen",
    incompleteText:
      "Melden Sie sich wieder an und wählen Sie auf der Seite „Sicherungen“ die Aktion „Wiederherstellung abschließen“. Bis dahin sind Geheimnisse und Signaturen blockiert.",
    failed: "Wiederherstellung fehlgeschlagen",
    untouched: "Es wurde nichts geändert.",
    next: "Was als Nächstes zu tun ist",
    todo: [
      "Prüfen Sie die Seite „Personen“: Konten, die danach deaktiviert sind, können Sie dort aktivieren, auch viele auf einmal.",
      "Legen Sie neue API-Schlüssel für Ihre Programme an: Die alten sind widerrufen.",
      "Prüfen Sie die Seite „Systemzustand“ und erstellen Sie eine neue Sicherung.",
    ],
    unknown: "Sie sind abgemeldet",
    unknownText:
      "Eine Wiederherstellung meldet alle ab. Melden Sie sich wieder an: Das Ergebnis steht im Verlauf auf der Seite „Sicherungen“.",
    none: "Es läuft keine Wiederherstellung.",
    signIn: "Anmelden",
    toBackups: "Sicherungen ansehen",
  },
};
