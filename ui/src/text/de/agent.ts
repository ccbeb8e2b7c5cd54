import type { Catalogue } from "../en";

export const agent: Catalogue["agent"] = {
  pill: {
    label: "Agent auf diesem Rechner",
    connected: "Agent verbunden",
    plugged: (n) => `${n} eingesteckt`,
    checking: "Agent wird gesucht …",
    failed: "Agent nicht geprüft",
    prompt: "Erlaubnis nötig",
    denied: "Vom Browser blockiert",
    missing: "Agent läuft nicht",
    foreign_origin: "Agent ist für eine andere Seite",
    too_old: "Agent zu alt",
    not_registered: "Agent zu bestätigen",
    other: "Ein anderer Agent",
  },
  details: {
    host: "Rechner",
    version: "Version",
    fingerprint: "Fingerabdruck seines Schlüssels",
    compare: "Der Agent zeigt beim Start denselben Fingerabdruck.",
    check: "Noch einmal nachsehen",
  },
  trouble: {
    failed: { title: "Der Agent konnte nicht geprüft werden" },
    missing: {
      title: "Der Agent antwortet nicht",
      why: "Keyward erreicht Ihren Token über ein kleines Programm auf diesem Rechner, den Agenten. Er läuft nicht oder ist nicht installiert.",
      todo: "Starten Sie ihn mit diesem Befehl. Ist er nicht installiert, holen Sie ihn zuerst.",
    },
    prompt: {
      title: "Ihr Browser wird um Erlaubnis fragen",
      why: "Um Ihren Token zu erreichen, spricht diese Seite mit dem Agenten auf diesem Rechner. Ihr Browser fragt Sie zuerst, ob sie das darf.",
      todo: "Wählen Sie „Zulassen“, wenn der Browser nach Apps und Diensten auf diesem Gerät fragt.",
    },
    denied: {
      title: "Ihr Browser versperrt den Weg zum Agenten",
      why: "Diese Seite darf Apps und Dienste auf diesem Gerät nicht erreichen: Jemand hat „Blockieren“ gewählt, oder eine Regel Ihrer Organisation verbietet es.",
      todo: "Öffnen Sie die Website-Einstellungen neben der Adresse dieser Seite, erlauben Sie „Apps auf dem Gerät“ (oder „Zugriff auf lokales Netzwerk“) und laden Sie die Seite neu.",
      insecure:
        "Diese Seite wurde über einfaches http geöffnet, und so erreicht keine Seite dieses Gerät. Öffnen Sie sie über https; Ihre Verwaltung kennt die Adresse.",
      managed:
        "Wo Browser verwaltet werden, kann die Verwaltung es mit einer dieser Richtliniendateien für alle erlauben.",
    },
    foreign_origin: {
      title: "Der Agent wurde für eine andere Seite gestartet",
      why: "Auf diesem Rechner läuft ein Agent, aber er antwortet nur der Seite, für die er gestartet wurde, und das ist nicht diese.",
      todo: "Beenden Sie ihn und starten Sie ihn für diese Seite.",
    },
    too_old: {
      title: "Der Agent ist zu alt",
      why: (version, least) => `Dieser Rechner hat Version ${version}. Diese Seite braucht ${least} oder neuer.`,
      todo: "Holen Sie den neuen, beenden Sie den alten und starten Sie den neuen.",
    },
    not_registered: {
      title: "Bestätigen Sie den Agenten auf diesem Rechner",
      why: "Diesen Agenten haben Sie noch nicht benutzt. Haben Sie ihn bestätigt, kann er für Sie die Geheimnisse von Token bekommen, so versiegelt, dass nur er sie öffnet.",
      todo: "Sein Fenster zeigt beim Start diesen Fingerabdruck. Ist es derselbe, dann benutzen Sie den Agenten.",
    },
    other: {
      title: "Das ist nicht der Agent, den Sie angemeldet haben",
      why: (host) =>
        host
          ? `Ihre Sitzung kennt den Schlüssel eines anderen Agenten, auf ${host}. Das ist normal, wenn der Agent neu gestartet wurde oder Sie an einem anderen Rechner saßen.`
          : "Ihre Sitzung kennt den Schlüssel eines anderen Agenten. Das ist normal, wenn der Agent neu gestartet wurde.",
      todo: "Haben Sie diesen Agenten selbst gestartet, dann benutzen Sie ihn ab jetzt. Sein Fenster zeigt denselben Fingerabdruck:",
      was: "Bisher angemeldet",
      now: "Antwortet jetzt",
      button: "Diesen Agenten benutzen",
      done: "Dieser Agent ist angemeldet.",
    },
    command: "Befehl, der den Agenten für diese Seite startet",
    allow: "Meinen Browser jetzt fragen",
    retry: "Noch einmal nachsehen",
    listening: "Diese Seite sieht immer wieder nach und geht von selbst weiter.",
    downloads: "Den Agenten holen",
    noDownloads: "Dieser Server bietet keinen Agenten an. Fragen Sie Ihre Verwaltung.",
    policies: "Richtliniendateien für verwaltete Browser",
    systems: { linux: "Linux", darwin: "macOS", windows: "Windows" },
  },
};
