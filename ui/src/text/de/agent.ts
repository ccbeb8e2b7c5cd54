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
    foreign_origin: "Agent für andere Website",
    too_old: "Agent zu alt",
    not_registered: "Agent bestätigen",
    unconfirmed: "Agent-Code vergleichen",
  },
  details: {
    host: "Computer",
    version: "Version",
    fingerprint: "Fingerabdruck des Schlüssels",
    compare: "Der Agent zeigt beim Start denselben Fingerabdruck.",
    check: "Erneut prüfen",
  },
  trouble: {
    failed: { title: "Der Agent konnte nicht geprüft werden" },
    in_use: {
      title: "Ein anderes Programm benutzt einen Token",
      why: (readers) =>
        `Ein anderes Programm, zum Beispiel der scdaemon von gpg, hat den Token in ${readers.join(", ")} für sich allein.`,
      todo: "Beenden Sie dieses Programm (den scdaemon von gpg mit gpgconf --kill scdaemon). Der Token erscheint dann hier.",
    },
    missing: {
      title: "Der Agent antwortet nicht",
      why: "Keyward erreicht Ihren Token über ein kleines Programm auf diesem Computer, den Agenten. Er läuft nicht oder ist nicht installiert.",
      todo: "Starten Sie ihn mit diesem Befehl. Ist er nicht installiert, laden Sie ihn zuerst unten herunter.",
    },
    prompt: {
      title: "Ihr Browser wird um Erlaubnis fragen",
      why: "Um Ihren Token zu erreichen, spricht diese Seite mit dem Agenten auf diesem Computer. Ihr Browser fragt Sie vorher um Erlaubnis.",
      todo: "Wählen Sie „Zulassen“, wenn der Browser nach Apps und Diensten auf diesem Gerät fragt.",
    },
    denied: {
      title: "Ihr Browser blockiert den Agenten",
      why: "Diese Seite darf Apps und Dienste auf diesem Gerät nicht erreichen: Jemand hat „Blockieren“ gewählt, oder Ihre Organisation verbietet es.",
      todo: "Öffnen Sie die Website-Einstellungen neben der Adresse dieser Seite, erlauben Sie „Apps auf dem Gerät“ (oder „Zugriff auf lokales Netzwerk“) und laden Sie die Seite neu.",
      insecure:
        "Diese Seite wurde über http geöffnet, und solche Seiten lässt der Browser nicht auf dieses Gerät zugreifen. Öffnen Sie sie über https; Ihr Administrator kennt die Adresse.",
      managed:
        "In verwalteten Browsern kann ein Administrator es mit einer dieser Richtliniendateien für alle erlauben.",
    },
    foreign_origin: {
      title: "Der Agent wurde für eine andere Website gestartet",
      why: "Der Agent auf diesem Computer antwortet nur der Website, für die er gestartet wurde, und das ist nicht diese.",
      todo: "Beenden Sie ihn und starten Sie ihn für diese Website.",
    },
    too_old: {
      title: "Der Agent ist zu alt",
      why: (version, least) => `Dieser Computer hat Version ${version}. Diese Seite braucht ${least} oder neuer.`,
      todo: "Laden Sie die neue Version herunter, beenden Sie die alte und starten Sie die neue.",
    },
    not_registered: {
      title: "Bestätigen Sie den Agenten auf diesem Computer",
      why: "Sie haben diesen Agenten noch nicht benutzt. Nach der Bestätigung kann er für Sie Geheimnisse von Token bekommen, so verschlüsselt, dass nur er sie lesen kann.",
      todo: "Bestätigen Sie ihn nur, wenn Sie ihn auf diesem Computer selbst gestartet haben. Möglicherweise müssen Sie sich erneut anmelden.",
      button: "Diesen Agenten benutzen",
    },
    unconfirmed: {
      title: "Vergleichen Sie den Code des Agenten",
      why: "Sie haben diesen Agenten noch nicht benutzt. Vielleicht ist er neu auf diesem Computer, oder etwas anderes gibt sich als Ihr Agent aus.",
      todo: "Öffnen Sie ein Terminal und führen Sie diesen Befehl aus. Vergleichen Sie die Ausgabe mit dem Code unten.",
      command: "Befehl, der den Code Ihres Agenten ausgibt",
      code: "Code des Agenten auf diesem Computer",
      differs: "Sind die Codes verschieden, brechen Sie ab und informieren Sie Ihren Administrator.",
      button: "Die Codes sind gleich",
      done: "Der Agent ist mit Ihrem Konto gekoppelt. Sie werden nicht wieder gefragt.",
    },
    command: "Befehl, der den Agenten für diese Website startet",
    allow: "Jetzt im Browser erlauben",
    retry: "Erneut prüfen",
    listening: "Diese Seite prüft laufend und macht automatisch weiter.",
    downloads: "Agent herunterladen",
    noDownloads: "Dieser Server bietet keinen Agenten an. Fragen Sie Ihren Administrator.",
    policies: "Richtliniendateien für verwaltete Browser",
    systems: { linux: "Linux", darwin: "macOS", windows: "Windows" },
  },
};
