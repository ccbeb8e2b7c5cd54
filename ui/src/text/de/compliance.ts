import type { Catalogue } from "../en";

export const compliance: Catalogue["compliance"] = {
  title: "Compliance",
  asOf: "Stand:",
  scope: { all: "Alle Organisationen", none: "Keine Organisation" },
  parameters: {
    label: "Worüber berichtet wird",
    organization: "Organisation",
    older: "Geheimnisse alt nach (Tagen)",
    within: "Zertifikate enden in (Tagen)",
    from: "Herausgaben von",
    to: "Herausgaben bis",
    days: (min, max) => `Eine ganze Zahl von ${min} bis ${max}`,
  },
  summary: (older, within, from, to) =>
    `Geheimnisse gelten nach ${older} Tagen als alt. Bald enden Zertifikate, die in ${within} Tagen enden. Herausgaben von ${from} bis ${to}.`,
  print: "Drucken",
  files: { button: "Herunterladen", json: "JSON, alles", csv: "CSV, für Tabellenprogramme" },
  tiles: {
    tokens: "Token",
    old: "Alte Geheimnisse",
    expiring: "Bald endende Zertifikate",
    tokenless: "Personen ohne Token",
    releases: "Herausgaben von Geheimnissen",
  },
  charts: {
    status: "Token nach Status",
    firmware: "Token nach Firmware",
    proofs: "Zertifikate danach, was der Token bewiesen hat",
    proof: (firmware, pin, touch) =>
      `Auf dem Token entstanden (Firmware ${firmware}). PIN: ${pin}. Berührung: ${touch}.`,
    notAttested: "Nicht beglaubigt: kein Beweis, dass der Schlüssel auf einem Token entstand",
    noCertificates: "Es gibt noch keine Zertifikate.",
    expiries: "Endende Zertifikate nach Woche",
    reasons: "Herausgaben nach Grund",
    what: "Was",
    count: "Anzahl",
    share: "Anteil",
    unknownFirmware: "Nicht bekannt",
    ownReason: "Durch den Inhaber, der keinen nennen muss",
    more: (n) => `Alle ${n} zeigen`,
    asTable: "Als Tabelle zeigen",
    asChart: "Als Diagramm zeigen",
    week: "Woche ab",
    sentence: (n, total, weeks, peak, count) =>
      n === 1
        ? `In den nächsten ${weeks} Wochen endet ein Zertifikat, in der Woche ab ${peak}. Die Tabelle hat jede Zahl.`
        : `${total} Zertifikate enden in den nächsten ${weeks} Wochen; die meisten, ${count}, in der Woche ab ${peak}. Die Tabelle hat jede Zahl.`,
    later: (n, count) =>
      n === 1
        ? "Eines mehr endet nach diesen Wochen, noch in den Tagen, nach denen gefragt wurde."
        : `${count} weitere enden nach diesen Wochen, noch in den Tagen, nach denen gefragt wurde.`,
    noTokens: "Noch gibt es keine Token.",
    noReleases: "In dieser Zeit wurde kein Geheimnis herausgegeben.",
    noExpiries: (weeks) => `In den nächsten ${weeks} Wochen endet kein Zertifikat.`,
  },
  organizations: {
    title: "Nach Organisation",
    name: "Organisation",
    only: (name) => `Nur über ${name} berichten`,
  },
  lists: {
    old: "Token mit alten Geheimnissen",
    expiring: "Bald endende Zertifikate",
    tokenless: "Personen ohne Token",
    token: "Token",
    owner: "Inhaber",
    nobody: "niemand",
    changed: "Geheimnisse geändert",
    certificate: "Zertifikat",
    ends: "Endet",
    person: "Person",
    email: "E-Mail",
    organization: "Organisation",
    noOld: (days) => `Keine. Jedes Geheimnis wurde in den letzten ${days} Tagen geändert.`,
    noExpiring: (days) => `Keines endet in ${days} Tagen.`,
    noTokenless: "Niemand. Alle mit einem aktiven Konto haben einen Token.",
    first: (shown, count) => `Die ersten ${shown} von ${count}.`,
    all: (n) => `Alle ${n} zeigen`,
    fewer: "Weniger zeigen",
  },
  empty: {
    title: "Noch gibt es nichts zu berichten",
    text: "Es gibt keine Token. Registrieren Sie einige, oder importieren Sie eine Liste, um einen Bericht zu sehen.",
    action: "Token ansehen",
  },
};
