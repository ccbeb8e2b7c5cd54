import type { Catalogue } from "../en";

const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

export const overview: Catalogue["overview"] = {
  title: "Übersicht",
  todo: {
    label: (label) => `„${label}“`,
    title: "Was zu tun ist",
    failed: "Nicht alles konnte geprüft werden",
    nothing: (name) => `Alles erledigt, ${name}.`,
    nothingMine: (until) => `Ihre Token sind eingerichtet, und Ihre Zertifikate gelten bis ${until}.`,
    nothingAll: "Alle zugewiesenen Token sind eingerichtet, und kein Zertifikat läuft in den nächsten 30 Tagen ab.",
    nothingElse: "Sonst ist nichts zu tun.",
    noToken: "Sie haben noch keinen Token",
    noTokenText:
      "Bitten Sie Ihren Administrator um einen. Sobald er Ihnen zugewiesen ist, können Sie ihn hier einrichten.",
    more: (n) => `und ${n} weitere`,
  },
  firstSteps: {
    title: "Erste Schritte",
    progress: (done, all) => `${done} von ${all} erledigt`,
    hide: "Ausblenden",
    show: "Erste Schritte anzeigen",
    done: "Erledigt",
    open: "Noch offen",
    steps: {
      tls: "HTTPS verwenden",
      organization: "Organisation anlegen",
      people: "Personen anlegen",
      token: "Ersten Token registrieren",
      mail: "E-Mail einrichten",
      backup: "Sicherung erstellen",
    },
    why: {
      tls: "Setzen Sie auf dem Server TLS_CERT_FILE, TLS_KEY_FILE und eine SITE_URL, die mit https:// beginnt, und starten Sie ihn neu.",
      organization: "Organisationen trennen Personen und Token und können eigene Verwalter haben.",
      people:
        "Wer einen Token benutzt, braucht ein Konto. Legen Sie Personen einzeln an oder importieren Sie eine Liste.",
      token: "Stecken Sie ihn ein oder geben Sie seine Seriennummer ein.",
      mail: "Einladungen und Warnungen zu Zertifikaten kommen dann per E-Mail.",
      backup: "Legen Sie fest, wohin gesichert wird, wählen Sie ein Passwort und erstellen Sie die erste Sicherung.",
    },
    action: {
      tls: "Ansehen",
      organization: "Organisation anlegen",
      people: "Personen anlegen",
      token: "Token registrieren",
      mail: "E-Mail einrichten",
      backup: "Sicherungen einrichten",
    },
    profiles: "Wählen, wofür Zertifikate sind (optional)",
    profilesWhy: "Token bekommen ein Zertifikat für alles oder je eines für Anmeldung, Signatur und Verschlüsselung.",
    profilesAction: "Wählen",
    plugged: (serials) =>
      serials.length === 1
        ? `Token ${serials[0]} ist gerade eingesteckt.`
        : `${serials.length} Token sind gerade eingesteckt: ${serials.join(", ")}.`,
  },
  mine: {
    setUp: (token) => `Ihr Token ${token} ist noch nicht eingerichtet.`,
    setUpAction: "Einrichten",
    half: (token) => `Ihr Token ${token} ist noch nicht fertig eingerichtet.`,
    halfAction: "Fortsetzen",
    halfReset: (token) => `Ihr Token ${token} ist noch nicht fertig zurückgesetzt: Seine Schlüssel sind noch darauf.`,
    halfResetAction: "Fortsetzen",
    bothBlocked: (token) => `PIN und PUK von ${token} sind gesperrt.`,
    bothBlockedAction: "Ansehen",
    pinBlocked: (token) => `Die PIN von ${token} ist gesperrt.`,
    pinBlockedAction: "Ansehen",
    pinLow: (token) => `${token} hat nur noch einen PIN-Versuch.`,
    pinLowAction: "Ansehen",
    pukBlocked: (token) => `Die PUK von ${token} ist gesperrt.`,
    pukBlockedAction: "Ansehen",
    factory: (token) => `${token} hat noch die Werte ab Werk, die jeder nachlesen kann.`,
    factoryAction: "Einrichten",
    missing: (slot, token) => `Das Zertifikat „${slot}“ ist nicht mehr auf ${token}.`,
    missingAction: "Ansehen",
    ownPin: (token) => `${token} hat noch die zufällige PIN vom Einrichten.`,
    ownPinAction: "PIN wählen",
    rotation: (token) => `Das Ändern der Geheimnisse von ${token} wurde unterbrochen.`,
    rotationAction: "Fortsetzen",
    ends: (slot, token, days) =>
      days <= 0
        ? `Das Zertifikat „${slot}“ auf ${token} läuft heute ab.`
        : `Das Zertifikat „${slot}“ auf ${token} läuft in ${days} ${plural(days, "Tag", "Tagen")} ab.`,
    endsAction: "Erneuern",
    revoked: (slot, token) => `Das Zertifikat „${slot}“ auf ${token} ist widerrufen.`,
    revokedAction: "Erneuern",
    expired: (slot, token) => `Das Zertifikat „${slot}“ auf ${token} ist abgelaufen.`,
    expiredAction: "Erneuern",
    begun: (slot, token) => `Das Ausstellen eines neuen Zertifikats für ${slot} auf ${token} wurde unterbrochen.`,
    begunAction: "Fortsetzen",
    bare: (token) => `${token} hat kein gültiges Zertifikat.`,
    bareAction: "Zertifikat ausstellen",
    lost: (token) => `${token} ist als verloren gemeldet, und Sie haben keinen anderen Token.`,
    lostAction: "Ansehen",
    retired: (token) => `${token} ist ausgemustert, und Sie haben keinen anderen Token.`,
    retiredAction: "Ansehen",
    suspended: (token) => `${token} ist vorübergehend gesperrt. Ihr Administrator kann ihn wieder freigeben.`,
    suspendedAction: "Details",
    agent: "Der Agent auf diesem Computer ist nicht bereit, daher lassen sich hier keine Token lesen.",
    agentAction: "Beheben",
  },
  fleet: {
    crl: "Die Sperrliste konnte nicht erneuert werden. Die letzte wird weiter ausgeliefert.",
    crlAction: "Systemzustand ansehen",
    ca: (day) =>
      `Die Zertifizierungsstelle braucht eine Nachfolgerin: Ab dem ${day} wären neue Zertifikate kürzer gültig, als sie sollten.`,
    caOver:
      "Die Zertifizierungsstelle ist abgelaufen und kann keine Zertifikate signieren. Sie braucht eine Nachfolgerin.",
    caAction: "Ansehen",
    seal: "Das Protokoll wird nicht versiegelt.",
    sealAction: "Ansehen",
    setUp: (n, count) =>
      plural(
        n,
        "Ein zugewiesener Token ist noch nicht eingerichtet.",
        `${count} zugewiesene Token sind noch nicht eingerichtet.`,
      ),
    setUpAction: "Ansehen",
    ended: (n, count) =>
      plural(
        n,
        "Ein Zertifikat auf einem aktiven Token ist abgelaufen und wurde nicht erneuert.",
        `${count} Zertifikate auf aktiven Token sind abgelaufen und wurden nicht erneuert.`,
      ),
    endedAction: "Ansehen",
    ending: (n, count) =>
      plural(
        n,
        "Ein Zertifikat läuft in den nächsten 30 Tagen ab.",
        `${count} Zertifikate laufen in den nächsten 30 Tagen ab.`,
      ),
    endingAction: "Ansehen",
    locked: (name) => `Das Konto von ${name} ist nach zu vielen falschen Passwörtern gesperrt.`,
    lockedAction: "Entsperren",
    lockedMore: (n, count) => plural(n, "Ein weiteres Konto ist gesperrt.", `${count} weitere Konten sind gesperrt.`),
    lockedMoreAction: "Ansehen",
    tokenless: (count, names, more) => `${count} Personen haben keinen Token: ${names}${more ? ", …" : "."}`,
    tokenlessOne: (name) => `${name} hat keinen Token.`,
    tokenlessAction: "Ansehen",
    old: (n, count) =>
      plural(
        n,
        "Ein Token hat seit über einem Jahr dieselben Geheimnisse.",
        `${count} Token haben seit über einem Jahr dieselben Geheimnisse.`,
      ),
    oldAction: "Ansehen",
    rotation: (token, owner) =>
      owner
        ? `Das Ändern der Geheimnisse von ${token} (${owner}) wurde unterbrochen.`
        : `Das Ändern der Geheimnisse von ${token} wurde unterbrochen.`,
    rotationAction: "Ansehen",
    rotationsMoreAction: "Ansehen",
    rotationsMore: (n, count) =>
      plural(
        n,
        "Bei einem weiteren Token wurde eine Änderung unterbrochen.",
        `Bei ${count} weiteren Token wurde eine Änderung unterbrochen.`,
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
    crlFresh: "Aktuell",
    crlStale: "Veraltet",
    crlNone: "Seit dem Start nicht abgerufen",
    crlNoneText: "seit dem Start des Servers hat kein Dienst sie abgerufen",
    crlFetched: "erneuert",
    seal: "Siegel des Protokolls",
    sealed: "versiegelt",
    health: "System",
    healthy: { ok: "Alles funktioniert", degraded: "Zu prüfen", unavailable: "Nicht verfügbar" },
    lacking: "Nicht eingerichtet",
    healthMore: (n) => plural(n, "1 Komponente ist zu prüfen", `${n} Komponenten sind zu prüfen`),
  },
  charts: {
    status: "Token nach Status",
    total: (n, count) => plural(n, "1 Token", `${count} Token`),
    firmware: "Token nach Firmware",
    unknown: "unbekannt",
    others: (n) => `${n} andere`,
    weeks: "Ablaufende Zertifikate nach Woche",
    week: (from, count) => `Woche ab ${from}: ${count}`,
    weeksSome: (n, count, valid, weeks) =>
      plural(
        n,
        `1 von ${valid} gültigen Zertifikaten läuft in den nächsten ${weeks} Wochen ab.`,
        `${count} von ${valid} gültigen Zertifikaten laufen in den nächsten ${weeks} Wochen ab.`,
      ),
    weeksNone: (n, valid, weeks) =>
      n === 0
        ? "Es gibt keine gültigen Zertifikate."
        : n === 1
          ? `Das einzige gültige Zertifikat läuft in den nächsten ${weeks} Wochen nicht ab.`
          : `Von ${valid} gültigen Zertifikaten läuft in den nächsten ${weeks} Wochen keines ab.`,
    releases: "Herausgegebene Geheimnisse nach Grund",
    releasesTotal: (count) => `${count} in den letzten 30 Tagen`,
    releasesNone: "In den letzten 30 Tagen wurde kein Geheimnis herausgegeben.",
    noReason: "Vom Inhaber, ohne Angabe eines Grundes",
    noTokens: "Noch keine Token. Registrieren Sie welche oder importieren Sie eine Liste.",
    noTokensAction: "Token",
  },
};
