import type { Catalogue } from "../en";

export const agent: Catalogue["agent"] = {
  pill: {
    label: "Agent auf diesem Computer",
    connected: "Agent verbunden",
    plugged: (n) => `${n} eingesteckt`,
    checking: "Agent wird gesucht …",
    failed: "Prüfung des Agenten fehlgeschlagen",
    prompt: "Erlaubnis nötig",
    denied: "Vom Browser blockiert",
    missing: "Agent läuft nicht",
    foreign_origin: "Agent ist für eine andere Seite",
    too_old: "Agent zu alt",
    not_registered: "Agent bestätigen",
    unconfirmed: "Agent vergleichen",
  },
  details: {
    host: "Computer",
    version: "Version",
    fingerprint: "Fingerabdruck seines Schlüssels",
    compare: "Der Agent zeigt beim Start denselben Fingerabdruck.",
    check: "Erneut prüfen",
  },
  trouble: {
    failed: { title: "Der Agent konnte nicht geprüft werden" },
    missing: {
      title: "Der Agent antwortet nicht",
      why: "Keyward erreicht Ihren Token über ein kleines Programm auf diesem Computer, den Agenten. Er läuft nicht oder ist nicht installiert.",
      todo: "Starten Sie ihn mit diesem Befehl. Ist er nicht installiert, holen Sie ihn zuerst.",
    },
    prompt: {
      title: "Ihr Browser wird um Erlaubnis fragen",
      why: "Um Ihren Token zu erreichen, spricht diese Seite mit dem Agenten auf diesem Computer. Ihr Browser fragt Sie zuerst, ob sie das darf.",
      todo: "Wählen Sie „Zulassen“, wenn der Browser nach Apps und Diensten auf diesem Gerät fragt.",
    },
    denied: {
      title: "Ihr Browser blockiert den Agenten",
      why: "Diese Seite darf Apps und Dienste auf diesem Gerät nicht erreichen: Jemand hat „Blockieren“ gewählt, oder eine Regel Ihrer Organisation verbietet es.",
      todo: "Öffnen Sie die Website-Einstellungen neben der Adresse dieser Seite, erlauben Sie „Apps auf dem Gerät“ (oder „Zugriff auf lokales Netzwerk“) und laden Sie die Seite neu.",
      insecure:
        "Diese Seite wurde über einfaches http geöffnet, und so erreicht keine Seite dieses Gerät. Öffnen Sie sie über https; Ihre Verwaltung kennt die Adresse.",
      managed:
        "Wo Browser verwaltet werden, kann die Verwaltung es mit einer dieser Richtliniendateien für alle erlauben.",
    },
    foreign_origin: {
      title: "Der Agent wurde für eine andere Seite gestartet",
      why: "Auf diesem Computer läuft ein Agent, aber er antwortet nur der Seite, für die er gestartet wurde, und das ist nicht diese.",
      todo: "Beenden Sie ihn und starten Sie ihn für diese Seite.",
    },
    too_old: {
      title: "Der Agent ist zu alt",
      why: (version, least) => `Dieser Computer hat Version ${version}. Diese Seite braucht ${least} oder neuer.`,
      todo: "Holen Sie den neuen, beenden Sie den alten und starten Sie den neuen.",
    },
    not_registered: {
      title: "Bestätigen Sie den Agenten auf diesem Computer",
      why: "Diesen Agenten haben Sie noch nicht benutzt. Haben Sie ihn bestätigt, kann er für Sie die Geheimnisse von Token bekommen, so verschlüsselt, dass nur er sie lesen kann.",
      todo: "Bestätigen Sie ihn nur, wenn Sie ihn auf diesem Computer selbst gestartet haben. Sie werden gefragt, wer Sie sind.",
      button: "Diesen Agenten benutzen",
    },
    unconfirmed: {
      title: "Vergleichen Sie den Code des Agenten",
      why: "Den Agenten, der auf diesem Computer antwortet, haben Sie noch nicht benutzt. Er kann hier neu sein, oder etwas anderes antwortet an der Stelle Ihres Agenten.",
      todo: "Öffnen Sie ein Terminal und geben Sie diesen Befehl ein. Vergleichen Sie, was er ausgibt, mit dem Code unten.",
      command: "Befehl, der den Code Ihres Agenten ausgibt",
      code: "Der Agent, der hier antwortet",
      differs: "Gibt Ihr Agent einen anderen Code aus, machen Sie nicht weiter und sagen Sie es Ihrer Verwaltung.",
      button: "Die Codes sind gleich",
      done: "Dieser Agent gehört von jetzt an zu Ihnen. Sie werden nicht wieder gefragt.",
    },
    command: "Befehl, der den Agenten für diese Seite startet",
    allow: "Meinen Browser jetzt fragen",
    retry: "Erneut prüfen",
    listening: "Diese Seite prüft immer wieder und macht automatisch weiter.",
    downloads: "Agenten herunterladen",
    noDownloads: "Dieser Server bietet keinen Agenten an. Fragen Sie Ihre Verwaltung.",
    policies: "Richtliniendateien für verwaltete Browser",
    systems: { linux: "Linux", darwin: "macOS", windows: "Windows" },
  },
};
