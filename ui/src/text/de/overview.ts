import type { Catalogue } from "../en";

const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

export const overview: Catalogue["overview"] = {
  title: "Übersicht",
  todo: {
    title: "Was zu tun ist",
    failed: "Nicht alles konnte geprüft werden",
    nothing: (name) => `Alles erledigt, ${name}.`,
    nothingMine: (until) => `Ihre Token sind eingerichtet, und Ihre Zertifikate gelten bis ${until}.`,
    nothingAll:
      "Niemand wartet auf Sie: die Token sind eingerichtet, und kein Zertifikat endet in den nächsten 30 Tagen.",
    noToken: "Sie haben noch keinen Token",
    noTokenText:
      "Fragen Sie Ihren Administrator danach. Sobald Ihnen einer zugewiesen ist, steht hier, wie Sie ihn einrichten.",
    more: (n) => `und ${n} weitere`,
  },
  mine: {
    setUp: (token) => `${token} gehört Ihnen und wartet darauf, eingerichtet zu werden.`,
    setUpAction: "Einrichten",
    rotation: (token) => `Ein Wechsel der Geheimnisse von ${token} wurde begonnen und nicht beendet.`,
    rotationAction: "Fortsetzen",
    ends: (slot, token, days) =>
      days <= 0
        ? `Das Zertifikat für ${slot} auf ${token} endet heute.`
        : `Das Zertifikat für ${slot} auf ${token} endet in ${days} ${plural(days, "Tag", "Tagen")}.`,
    endsAction: "Erneuern",
    unconfirmed: (slot, token) => `Das Zertifikat für ${slot} ist, soweit bekannt, nie auf ${token} angekommen.`,
    unconfirmedAction: "Prüfen",
    bare: (token) => `${token} hat kein gültiges Zertifikat.`,
    bareAction: "Erstellen",
    suspended: (token) => `${token} ist gesperrt. Ihr Administrator kann ihn zurückholen.`,
    suspendedAction: "Einzelheiten",
    agent: "Der Agent auf diesem Computer ist nicht bereit, daher lassen sich hier keine Token lesen.",
    agentAction: "Was ist zu tun?",
  },
  fleet: {
    crl: "Die Sperrliste konnte nicht erneuert werden. Andere bekommen weiter die letzte.",
    crlAction: "Zustand des Systems",
    seal: "Das Protokoll wird nicht versiegelt.",
    sealAction: "Ansehen",
    setUp: (n, count) =>
      plural(
        n,
        "Ein Token ist zugewiesen und noch nicht eingerichtet.",
        `${count} Token sind zugewiesen und noch nicht eingerichtet.`,
      ),
    setUpAction: "Anzeigen",
    ending: (n, count) =>
      plural(
        n,
        "Ein Zertifikat endet in den nächsten 30 Tagen.",
        `${count} Zertifikate enden in den nächsten 30 Tagen.`,
      ),
    endingAction: "Anzeigen",
    locked: (name) => `${name} ist nach zu vielen falschen Passwörtern ausgesperrt.`,
    lockedAction: "Entsperren",
    lockedMore: (n, count) =>
      plural(n, "Eine weitere Person ist ausgesperrt.", `${count} weitere Personen sind ausgesperrt.`),
    lockedMoreAction: "Anzeigen",
    tokenless: (count, names, more) => `${count} Personen haben keinen Token: ${names}${more ? ", …" : "."}`,
    tokenlessOne: (name) => `${name} hat keinen Token.`,
    tokenlessAction: "Anzeigen",
    old: (n, count) =>
      plural(
        n,
        "Ein Token hat seit über einem Jahr dieselben Geheimnisse.",
        `${count} Token haben seit über einem Jahr dieselben Geheimnisse.`,
      ),
    oldAction: "Bericht",
    rotation: (token, owner) =>
      owner
        ? `Ein Wechsel der Geheimnisse von ${token} im Besitz von ${owner} wurde begonnen und nicht beendet.`
        : `Ein Wechsel der Geheimnisse von ${token} wurde begonnen und nicht beendet.`,
    rotationAction: "Öffnen",
    rotationsMore: (n, count) =>
      plural(
        n,
        "Ein weiterer Token hat einen solchen offenen Wechsel.",
        `${count} weitere Token haben einen solchen offenen Wechsel.`,
      ),
  },
  tokens: {
    title: "Ihre Token",
    all: "Alle Ihre Token",
    none: "kein Zertifikat",
  },
  glance: {
    title: "Auf einen Blick",
    crl: "Sperrliste",
    crlFresh: "Frisch",
    crlStale: "Veraltet",
    crlNone: "Ruht",
    crlNoneText: "noch hat niemand danach gefragt",
    crlFetched: "erneuert",
    seal: "Siegel des Protokolls",
    sealed: "versiegelt",
    health: "System",
    healthy: { ok: "Alles gut", degraded: "Eingeschränkt", unavailable: "Nicht verfügbar" },
    healthMore: (n) => plural(n, "1 Teil braucht einen Blick", `${n} Teile brauchen einen Blick`),
  },
  charts: {
    status: "Token nach Status",
    total: (n, count) => plural(n, "1 Token", `${count} Token`),
    firmware: "Token nach Firmware",
    unknown: "unbekannt",
    others: (n) => `${n} andere`,
    weeks: "Endende Zertifikate nach Woche",
    week: (from, count) => `Woche ab ${from}: ${count}`,
    weeksSome: (n, count, weeks) =>
      plural(
        n,
        `Ein Zertifikat endet in diesen ${weeks} Wochen.`,
        `${count} Zertifikate enden in diesen ${weeks} Wochen.`,
      ),
    weeksNone: (weeks) => `In diesen ${weeks} Wochen endet kein Zertifikat.`,
    releases: "Herausgegebene Geheimnisse nach Grund",
    releasesTotal: (count) => `${count} in den letzten 30 Tagen`,
    releasesNone: "In den letzten 30 Tagen wurde kein Geheimnis herausgegeben.",
    noReason: "Vom Besitzer, ohne Grund",
    noTokens: "Noch keine Token. Erfassen Sie welche, oder importieren Sie eine Liste.",
    noTokensAction: "Token im Bestand",
  },
};
