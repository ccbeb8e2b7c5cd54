import type { Catalogue } from "../en";

export const license: Catalogue["license"] = {
  title: "Lizenz",
  standing: {
    trial: {
      title: "Testphase",
      text: (day) => `Keyward läuft bis ${day} als Testversion mit vollem Umfang. Laden Sie vorher eine Lizenz hoch.`,
    },
    trialEnding: {
      title: "Die Testphase endet bald",
      text: (day) => `Sie läuft bis ${day}. Danach lässt sich ohne Lizenz nichts mehr hinzufügen.`,
    },
    valid: {
      title: "Lizenziert",
      text: (day) => `Die Lizenz gilt bis ${day}. Es ist nichts zu tun.`,
    },
    expiring: {
      title: "Die Lizenz läuft bald ab",
      text: (day) =>
        `Sie gilt noch bis ${day}. Lassen Sie sich vom Hersteller die nächste ausstellen und laden Sie sie hier hoch.`,
    },
    expired: {
      title: "Die Lizenz ist abgelaufen",
      text: (day) =>
        `Sie galt bis ${day}. Lassen Sie sich vom Hersteller eine neue ausstellen und laden Sie sie hier hoch.`,
    },
    trialOver: {
      title: "Die Testphase ist vorbei",
      text: (day) =>
        `Sie endete am ${day}. Lassen Sie sich vom Hersteller eine Lizenz ausstellen und laden Sie sie hier hoch.`,
    },
    invalid: {
      title: "Die Lizenz ist ungültig",
      text: () =>
        "Die hinterlegte Lizenz passt nicht zu dieser Installation, oder sie wurde verändert. Laden Sie die Datei des Herstellers noch einmal hoch oder lassen Sie sich eine neue ausstellen.",
    },
    missing: {
      title: "Die Lizenz fehlt",
      text: () =>
        "Diese Installation hatte eine Lizenz, die entfernt wurde. Laden Sie wieder eine hoch, um Neues hinzuzufügen.",
    },
    unreached: {
      title: "Die Lizenz lässt sich nicht prüfen",
      text: () =>
        "Der Lizenzdienst antwortet nicht. Bis er es wieder tut, läuft Keyward wie in der Testphase weiter, ohne Einschränkungen. Den Grund nennt die Logdatei des Servers.",
    },
  },
  badges: {
    trial: "Testphase",
    trialEnding: "Endet bald",
    valid: "Gültig",
    expiring: "Läuft bald ab",
    expired: "Abgelaufen",
    trialOver: "Testphase vorbei",
    invalid: "Ungültig",
    missing: "Fehlt",
    unreached: "Unbekannt",
  },
  left: (days) => (days === 0 ? "Weniger als ein Tag übrig" : days === 1 ? "Noch 1 Tag" : `Noch ${days} Tage`),
  ended: "Keine Zeit mehr",
  leftOf: (left, total) => `${left} von ${total} Tagen`,
  clock: {
    title: "Die Uhr des Servers geht nach",
    text: "Für die Lizenz zählt der späteste Zeitpunkt, der je gesehen wurde, und die Zeit seither. Stellen Sie die Uhr richtig. Geht sie richtig, ging sie früher vor: Lassen Sie sich vom Hersteller eine neue Lizenz ausstellen.",
  },
  restricted: {
    title: "Was eingeschränkt ist",
    held: "Bis eine gültige Lizenz da ist, lässt sich Folgendes nicht hinzufügen:",
    items: ["Konten", "Token", "das erste Zertifikat für einen Slot eines Tokens"],
    rest: "Alles andere geht weiter: Anmeldung, PINs und andere Geheimnisse, Erneuerung, Widerruf, Protokoll, Sicherung und Wiederherstellung.",
  },
  details: {
    title: "Einzelheiten",
    customer: "Lizenziert für",
    email: "E-Mail",
    type: "Art",
    issued: "Ausgestellt",
    expires: "Gültig bis",
    none: "Es ist keine Lizenz hinterlegt.",
    void: "Nichts davon zählt, solange die Lizenz ungültig ist.",
  },
  installation: {
    title: "Installations-ID",
    text: "Der Hersteller stellt eine Lizenz für genau diese ID aus. Schicken Sie sie mit, wenn Sie eine anfordern.",
    unknown: "Nicht bekannt, solange der Lizenzdienst nicht antwortet.",
  },
  upload: {
    title: "Lizenz hochladen",
    what: "Wählen Sie die Datei, die Sie vom Hersteller bekommen haben, ziehen Sie sie hierher oder fügen Sie ihren Inhalt ein.",
    choose: "Datei wählen",
    content: "Inhalt der Lizenzdatei",
    submit: "Hochladen",
    done: "Die Lizenz ist hinterlegt.",
    tooBig: "Das ist keine Lizenzdatei: Sie ist größer als 16 KiB.",
    malformed:
      "Das ist keine Lizenzdatei, oder sie wurde unterwegs verändert. Nehmen Sie die Datei genau so, wie sie vom Hersteller kam.",
    unreadable: "Die Datei ließ sich nicht lesen. Wählen Sie sie noch einmal.",
    older: "Neuere Lizenz ersetzen",
    olderText:
      "Tun Sie das nur, wenn Sie wirklich zur älteren zurückwollen. Im Protokoll steht dann, dass sie eine neuere Lizenz ersetzt hat.",
  },
  remove: {
    action: "Lizenz entfernen…",
    title: "Lizenz entfernen?",
    text: "Läuft die Testphase nicht mehr, lassen sich danach keine Konten, Token und ersten Zertifikate hinzufügen, bis wieder eine Lizenz hochgeladen wird. Alles andere geht weiter. Heben Sie die Datei des Herstellers auf: Sie lässt sich erneut hochladen.",
    submit: "Lizenz entfernen",
    done: "Die Lizenz ist entfernt.",
  },
  history: {
    title: "Verlauf",
    empty: "Bisher wurde keine Lizenz hochgeladen oder entfernt.",
    at: "Wann",
    what: "Was",
    by: "Von",
    about: "Einzelheiten",
    events: {
      upload: { success: "Hochgeladen", rejected: "Abgelehnt" },
      remove: { success: "Entfernt", rejected: "Nicht entfernt" },
    },
    summary: (customer, type, day) => `${customer}, ${type}, gültig bis ${day}`,
    replaced: "durfte eine neuere ersetzen",
    refused: {
      malformed: "Keine Lizenzdatei, oder sie wurde unterwegs verändert.",
      unknown_key: "Dieses Programm wurde ohne den Schlüssel des Herstellers gebaut.",
      bad_signature: "Die Signatur passte nicht.",
      other_installation: "Sie wurde für eine andere Installation ausgestellt.",
      expired: "Sie war schon abgelaufen.",
      older: "Eine später ausgestellte war hier schon hinterlegt.",
    },
  },
  banner: {
    link: "Zur Lizenz",
    ending: (left) => `${left}.`,
    restricted:
      "Bis eine Lizenz hochgeladen ist, lassen sich keine Konten, Token und ersten Zertifikate hinzufügen. Alles andere geht weiter.",
  },
};
