import type { Catalogue } from "../en";

export const restores: Pick<Catalogue["backups"], "sheet" | "restore" | "retry" | "restoring"> = {
  sheet: {
    title: "Notfallblatt für Keyward",
    installation: "Installation",
    printed: "Gedruckt",
    files: "Die Sicherungen liegen in",
    names: "Eine Datei heißt",
    prefix: "die Zeit ist in UTC; nehmen Sie die neueste vollständige",
    password: "Passwort der Verschlüsselung",
    passwordHint: "Schreiben Sie es von Hand und genau: Groß- und Kleinschreibung zählt.",
    valid: "Es gilt für Sicherungen ab (Datum)",
    steps: "So stellen Sie auf einer neuen Maschine wieder her",
    how: [
      "Installieren Sie dieselbe Version von Keyward oder eine neuere, und starten Sie sie nicht.",
      "Kopieren Sie die Sicherungsdatei auf die Maschine.",
      "Führen Sie den Befehl unten aus. Er fragt nach dem Passwort, prüft die ganze Datei, bevor er etwas ändert, und sagt, wie weit er ist.",
      "Starten Sie Keyward unter derselben Adresse wie zuvor. Alle melden sich mit ihrem damaligen Passwort neu an.",
    ],
    command: "keyward restore --data /var/lib/keyward --file backup-full-….enc",
    living: "Läuft Keyward noch, stellen Sie stattdessen auf der Seite System, Sicherungen wieder her.",
    safe: "Wer dieses Blatt mit dem Passwort und eine Sicherungsdatei hat, hat die Geheimnisse aller Token. Verwahren Sie es in einem Safe, getrennt von den Sicherungen.",
  },
  restore: {
    title: "Eine Sicherung wiederherstellen",
    steps: { choose: "Sicherung", password: "Passwort", confirm: "Was geschieht" },
    choose: {
      label: "Welche Sicherung",
      hint: "Die neueste ist meist die richtige.",
      next: "Weiter",
    },
    password: {
      label: "Ihr Passwort",
      hint: "Das, das gesetzt war, als diese Sicherung gemacht wurde. Groß- und Kleinschreibung zählt.",
      check: "Passwort prüfen",
      wrong: "Dieses Passwort öffnet die Sicherung nicht. Wurde es seither geändert, geben Sie das frühere ein.",
      right: "Das Passwort öffnet die Sicherung.",
      made: "Gemacht",
      audit: { yes: "mit dem Audit-Protokoll", no: "ohne das Audit-Protokoll" },
    },
    happens: {
      replaced: "Kommt aus der Sicherung",
      replacedTexts: [
        "Was nicht mehr da ist: Konten, Organisationen, Token, Zertifikate, Webhooks und Geheimnisse.",
        "Namen von Organisationen, Webhooks, Single Sign-on und die Regeln für Passwörter, wie sie damals waren.",
      ],
      stays: "Bleibt, wie es jetzt ist",
      staysTexts: [
        "Was seither entstand: Nichts wird gelöscht außer offenen Einladungen.",
        "Benutzernamen und E-Mail-Adressen, und seither geänderte Passwörter.",
        "Widerrufe von beiden Seiten: Nichts Widerrufenes wird wieder gültig.",
        "Neuere PINs und Schlüssel von Token. Die der Sicherung bleiben als frühere, denn ein Token kann beide tragen.",
        "Das Audit-Protokoll, und diese Einstellungen der Sicherungen.",
      ],
      after: "Danach",
      afterTexts: [
        "Alle sind abgemeldet, auch Sie, und alle API-Schlüssel sind widerrufen.",
        "Niemand darf mehr als kurz zuvor: Konten, die da deaktiviert, herabgestuft, verschoben oder nicht vorhanden waren, sind deaktiviert, und ebenso die, die es in der Sicherung sind. Aktivieren Sie die richtigen unter Personen.",
        "Webhooks, die seither geändert oder gelöscht wurden, sind abgeschaltet.",
      ],
      vaultOnly: [
        "Geheimnisse von Token, die der Tresor verloren hat. Was er hat, bleibt gültig; die der Sicherung bleiben als frühere.",
      ],
      vaultAfter: "Alle werden abgemeldet, auch Sie, und alle API-Schlüssel widerrufen.",
      databaseOnly: "Geheimnisse im Tresor bleiben unberührt: Diese Sicherung hat keine.",
      meanwhile:
        "Sobald die Datei geprüft ist, kann hier bis zum Ende niemand etwas ändern. Ansehen geht, bis die Datenbank ersetzt ist.",
      replaceCA: "Eine neue Installation ersetzen, samt ihrer CA",
      replaceCAHint:
        "Nur für die Sicherung einer anderen Installation, wenn diese hier neu ist: Sonst wird eine solche Sicherung abgelehnt. Alle Konten und Einstellungen kommen dann aus der Sicherung, und Zertifikate der jetzigen CA gelten nicht mehr.",
    },
    word: "WIEDERHERSTELLEN",
    type: (word) => `Geben Sie zur Bestätigung ${word} ein`,
    back: "Zurück",
    begin: "Jetzt wiederherstellen",
  },
  retry: {
    title: "Wiederherstellung abschließen?",
    text: "Dieselbe Sicherung wird noch einmal geholt, und was im Tresor fehlt, wird geschrieben.",
    action: "Noch einmal versuchen",
  },
  restoring: {
    title: "Wiederherstellung",
    going:
      "Sie können diese Seite verlassen: Die Wiederherstellung läuft weiter. Sie meldet Sie ab, und diese Seite zeigt trotzdem, wie weit sie ist.",
    silent: "Der Server antwortet gerade nicht. Diese Seite fragt weiter.",
    done: "Die Wiederherstellung ist fertig",
    doneText: "Alle sind abgemeldet, auch Sie. Melden Sie sich mit dem Passwort an, das Ihr Konto jetzt hat.",
    warnings: "Die Wiederherstellung ist fertig, mit Warnungen",
    incomplete: "Die Wiederherstellung ist nicht fertig",
    incompleteText:
      "Melden Sie sich wieder an, und drücken Sie auf der Seite Sicherungen „Wiederherstellung abschließen“. Bis dahin werden Geheimnisse und Signaturen zurückgehalten.",
    failed: "Die Wiederherstellung ist fehlgeschlagen",
    untouched: "Nichts wurde geändert: Alles ist, wie es war.",
    next: "Was als Nächstes zu tun ist",
    todo: [
      "Sehen Sie auf der Seite Personen nach: Konten, die deaktiviert zurückkamen, lassen sich dort aktivieren, auch viele zugleich.",
      "Legen Sie neue API-Schlüssel an für das, was mit ihnen arbeitet: Die alten sind widerrufen.",
      "Sehen Sie auf der Seite Zustand nach, und lassen Sie eine neue Sicherung machen.",
    ],
    unknown: "Sie sind abgemeldet",
    unknownText:
      "Eine Wiederherstellung meldet alle ab. Melden Sie sich wieder an: Der Verlauf auf der Seite Sicherungen sagt, wie sie ausging.",
    none: "Es läuft keine Wiederherstellung.",
    signIn: "Anmelden",
    toBackups: "Zu den Sicherungen",
  },
};
