import type { Catalogue } from "../en";

export const compliance: Catalogue["compliance"] = {
  title: "Compliance",
  asOf: "Stand:",
  scope: { all: "Alle Organisationen", none: "Keine Organisation" },
  parameters: {
    label: "Umfang des Berichts",
    organization: "Organisation",
    older: "Geheimnisse veraltet nach (Tagen)",
    within: "Zertifikate laufen ab in (Tagen)",
    from: "Herausgaben von",
    to: "Herausgaben bis",
    days: (min, max) => `Eine ganze Zahl von ${min} bis ${max}`,
  },
  summary: (older, within, from, to) =>
    `Geheimnisse gelten nach ${older} Tagen als veraltet. Als bald ablaufend gelten Zertifikate innerhalb von ${within} Tagen. Herausgaben von ${from} bis ${to}.`,
  print: "Drucken",
  files: { button: "Herunterladen", json: "JSON, alles", csv: "CSV, für Tabellenprogramme" },
  tiles: {
    tokens: "Token",
    old: "Veraltete Geheimnisse",
    expiring: "Bald ablaufende Zertifikate",
    tokenless: "Personen ohne Token",
    releases: "Herausgaben von Geheimnissen",
  },
  charts: {
    status: "Token nach Status",
    firmware: "Token nach Firmware",
    proofs: "Zertifikate nach Attestierung",
    proof: (firmware, pin, touch) => `Auf dem Token erzeugt (Firmware ${firmware}). PIN: ${pin}. Berührung: ${touch}.`,
    notAttested: "Nicht attestiert: kein Nachweis, dass der Schlüssel auf einem Token erzeugt wurde",
    noCertificates: "Noch keine Zertifikate.",
    expiries: "Ablaufende Zertifikate nach Woche",
    reasons: "Herausgaben nach Grund",
    what: "Was",
    count: "Anzahl",
    share: "Anteil",
    unknownFirmware: "Unbekannt",
    ownReason: "Vom Inhaber, ohne Grund",
    more: (n) => `Alle ${n} anzeigen`,
    asTable: "Als Tabelle anzeigen",
    asChart: "Als Diagramm anzeigen",
    week: "Woche ab",
    sentence: (n, total, weeks, peak, count) =>
      n === 1
        ? `In den nächsten ${weeks} Wochen läuft ein Zertifikat ab, in der Woche ab ${peak}. Die Tabelle zeigt alle Zahlen.`
        : `In den nächsten ${weeks} Wochen laufen ${total} Zertifikate ab, die meisten (${count}) in der Woche ab ${peak}. Die Tabelle zeigt alle Zahlen.`,
    later: (n, count) =>
      n === 1
        ? "Ein weiteres läuft später ab, aber noch im gewählten Zeitraum."
        : `${count} weitere laufen später ab, aber noch im gewählten Zeitraum.`,
    noTokens: "Noch keine Token.",
    noReleases: "In diesem Zeitraum wurden keine Geheimnisse herausgegeben.",
    noExpiries: (weeks) => `In den nächsten ${weeks} Wochen läuft kein Zertifikat ab.`,
  },
  organizations: {
    title: "Nach Organisation",
    name: "Organisation",
    only: (name) => `Nur ${name} anzeigen`,
  },
  lists: {
    old: "Token mit veralteten Geheimnissen",
    expiring: "Bald ablaufende Zertifikate",
    tokenless: "Personen ohne Token",
    token: "Token",
    owner: "Inhaber",
    nobody: "niemand",
    changed: "Geheimnisse geändert",
    certificate: "Zertifikat",
    ends: "Läuft ab",
    person: "Person",
    email: "E-Mail",
    organization: "Organisation",
    noOld: (days) => `Keine. Jedes Geheimnis wurde in den letzten ${days} Tagen geändert.`,
    noExpiring: (days) => `Keines läuft in den nächsten ${days} Tagen ab.`,
    noTokenless: "Niemand. Alle mit einem aktiven Konto haben einen Token.",
    first: (shown, count) => `Die ersten ${shown} von ${count}.`,
    all: (n) => `Alle ${n} anzeigen`,
    fewer: "Weniger anzeigen",
  },
  empty: {
    title: "Noch nichts zu berichten",
    text: "Es gibt keine Token. Registrieren Sie welche oder importieren Sie eine Liste, um einen Bericht zu sehen.",
    action: "Token ansehen",
  },
};
