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
      text: (day) =>
        `Sie läuft bis ${day}. Danach lassen sich ohne Lizenz keine Konten, Token und Zertifikate mehr hinzufügen.`,
    },
    valid: {
      title: "Lizenziert",
      text: (day) => `Die Lizenz gilt bis ${day}. Es ist nichts zu tun.`,
    },
    expiring: {
      title: "Die Lizenz läuft bald ab",
      text: (day) => `Sie gilt noch bis ${day}. Fordern Sie beim Hersteller eine neue an und laden Sie sie hier hoch.`,
    },
    expired: {
      title: "Die Lizenz ist abgelaufen",
      text: (day) =>
        `Sie ist am ${day} abgelaufen. Fordern Sie beim Hersteller eine neue an und laden Sie sie hier hoch.`,
    },
    trialOver: {
      title: "Die Testphase ist vorbei",
      text: (day) => `Sie endete am ${day}. Fordern Sie beim Hersteller eine Lizenz an und laden Sie sie hier hoch.`,
    },
    invalid: {
      title: "Die Lizenz ist ungültig",
      text: () =>
        "Die hinterlegte Lizenz passt nicht zu dieser Installation, oder sie wurde verändert. Laden Sie die Datei des Herstellers noch einmal hoch oder fordern Sie eine neue an.",
    },
    missing: {
      title: "Die Lizenz fehlt",
      text: () => "Die Lizenz wurde entfernt. Laden Sie eine hoch, um wieder Konten und Token hinzuzufügen.",
    },
    unreached: {
      title: "Die Lizenz lässt sich nicht prüfen",
      text: () =>
        "Der Lizenzdienst antwortet nicht. Bis er wieder antwortet, läuft Keyward wie in der Testphase, ohne Einschränkungen. Sehen Sie im Server-Log nach.",
    },
  },
  noKey: (until) =>
    `${until ? `Keyward läuft bis ${until} als Testversion mit allen Funktionen. ` : ""}Dieses Programm wurde ohne den öffentlichen Schlüssel des Herstellers gebaut und lehnt deshalb jede Lizenz ab. Um eine zu verwenden, installieren Sie die Version des Herstellers.`,
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
  ended: "Abgelaufen",
  leftOf: (left, total) => `${left} von ${total} Tagen`,
  clock: {
    title: "Die Uhr des Servers geht nach",
    text: "Für die Lizenz zählt der späteste Zeitpunkt, den Keyward bisher gesehen hat. Stellen Sie die Uhr richtig. Geht sie jetzt richtig, ging sie früher vor: Fordern Sie beim Hersteller eine neue Lizenz an.",
  },
  restricted: {
    title: "Was eingeschränkt ist",
    held: "Ohne gültige Lizenz kann niemand Folgendes hinzufügen:",
    items: ["Konten", "Token", "Zertifikate für Slots ohne gültiges Zertifikat"],
    rest: "Alles andere funktioniert weiter: Anmeldung, PINs und andere Geheimnisse, Erneuerung gültiger Zertifikate, Widerruf, Protokoll, Sicherung und Wiederherstellung.",
  },
  details: {
    title: "Details",
    customer: "Lizenziert für",
    email: "E-Mail",
    type: "Art",
    issued: "Ausgestellt",
    expires: "Gültig bis",
    none: "Es ist keine Lizenz hinterlegt.",
    void: "Das gilt nicht, solange die Lizenz ungültig ist.",
  },
  installation: {
    title: "Installations-ID",
    text: "Lizenzen werden für diese ID ausgestellt. Geben Sie sie an, wenn Sie eine anfordern.",
    unknown: "Unbekannt, solange der Lizenzdienst nicht antwortet.",
  },
  upload: {
    title: "Lizenz hochladen",
    what: "Wählen Sie die Datei des Herstellers, ziehen Sie sie hierher oder fügen Sie ihren Inhalt ein.",
    choose: "Datei auswählen",
    content: "Inhalt der Lizenzdatei",
    submit: "Hochladen",
    done: "Lizenz hochgeladen.",
    tooBig: "Das ist keine Lizenzdatei: Sie ist größer als 16 KiB.",
    malformed:
      "Das ist keine Lizenzdatei, oder sie ist beschädigt. Verwenden Sie die Datei genau so, wie sie vom Hersteller kam.",
    unreadable: "Die Datei lässt sich nicht lesen. Wählen Sie sie noch einmal aus.",
    older: "Neuere Lizenz ersetzen",
    olderText:
      "Nur, wenn Sie wirklich zur älteren zurückwollen. Im Protokoll steht dann, dass sie eine neuere Lizenz ersetzt hat.",
  },
  remove: {
    action: "Lizenz entfernen …",
    title: "Lizenz entfernen?",
    text: "Ist die Testphase vorbei, kann danach niemand Konten, Token oder Zertifikate hinzufügen, bis Sie wieder eine Lizenz hochladen. Alles andere funktioniert weiter, und gültige Zertifikate lassen sich erneuern. Heben Sie die Datei des Herstellers auf: Sie können sie erneut hochladen.",
    submit: "Lizenz entfernen",
    done: "Lizenz entfernt.",
  },
  history: {
    title: "Verlauf",
    empty: "Bisher wurde keine Lizenz hochgeladen oder entfernt.",
    at: "Wann",
    what: "Was",
    by: "Von",
    about: "Details",
    events: {
      upload: { success: "Hochgeladen", rejected: "Abgelehnt" },
      remove: { success: "Entfernt", rejected: "Nicht entfernt" },
    },
    summary: (customer, type, day) => `${customer}, ${type}, gültig bis ${day}`,
    replaced: "durfte eine neuere ersetzen",
    refused: {
      malformed: "Keine Lizenzdatei, oder sie war beschädigt.",
      unknown_key: "Dieses Programm wurde ohne den Schlüssel des Herstellers gebaut.",
      bad_signature: "Die Signatur war ungültig.",
      other_installation: "Sie wurde für eine andere Installation ausgestellt.",
      expired: "Sie war schon abgelaufen.",
      older: "Hier war schon eine neuere Lizenz hinterlegt.",
    },
  },
  banner: {
    link: "Lizenz ansehen",
    ending: (left) => `${left}.`,
    restricted:
      "Bis eine Lizenz hochgeladen ist, können Sie keine Konten, Token oder Zertifikate hinzufügen. Alles andere funktioniert weiter, und gültige Zertifikate lassen sich erneuern.",
  },
};
