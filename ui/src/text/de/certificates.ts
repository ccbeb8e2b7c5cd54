import type { Catalogue } from "../en";
import { tokens } from "./tokens";

const numbers = new Intl.NumberFormat("de");

/** What a revocation does. */
const listed =
  "Es kommt auf die Sperrliste. Ein Dienst, der eine Kopie der Liste hat, nimmt das Zertifikat womöglich an, bis diese abläuft; das kann bis zu drei Tage dauern. Das lässt sich nicht rückgängig machen.";

export const certificates: Catalogue["certificates"] = {
  title: "Zertifikate",
  state: { expiring: "Läuft bald ab", unconfirmed: "Nicht bestätigt" },
  columns: {
    name: "Zertifikat",
    slot: "Slot",
    status: "Status",
    life: "Laufzeit",
    ends: "Läuft ab",
    token: "Token",
    owner: "Inhaber",
    issued: "Ausgestellt",
  },
  list: "Zertifikate",
  slots: tokens.slots,
  filters: {
    search: "Name, Token, Seriennummer",
    show: "Anzeigen",
    all: "Alle Zertifikate",
    issued: "Gültige",
    within: (days) => `Laufen in ${days} Tagen ab`,
    unconfirmed: "Nicht bestätigte",
    lapsed: "Abgelaufene, nicht erneuert",
    expired: "Abgelaufene",
    revoked: "Widerrufene",
    organization: "Organisation",
    token: (serial) => `Token ${serial}`,
    noToken: "Zertifikate aller Token anzeigen",
  },
  empty: {
    title: "Noch keine Zertifikate",
    text: "Ein Zertifikat entsteht, wenn ein Token eingerichtet wird. Stecken Sie Ihren Token ein und öffnen Sie „Meine Token“.",
    action: "Meine Token ansehen",
    none: "Keine Treffer",
    noneText: "Kein Zertifikat passt zu diesen Filtern. Entfernen Sie welche, um mehr zu sehen.",
  },
  ahead: {
    today: "Heute",
    some: (n, count, first) =>
      n === 1
        ? `Eines dieser Zertifikate läuft innerhalb eines Jahres ab, in der Woche ab ${first}.`
        : `${count} dieser Zertifikate laufen innerhalb eines Jahres ab, das erste in der Woche ab ${first}.`,
    none: "Keines dieser Zertifikate läuft innerhalb eines Jahres ab.",
    missing: "Die Zahlen konnten nicht geladen werden.",
  },
  detail: {
    title: (name) => `Zertifikat von ${name}`,
    crumb: "Alle Zertifikate",
    missing: "Zertifikat nicht gefunden",
    missingText: "Dieses Zertifikat gibt es nicht, oder Sie haben keinen Zugriff darauf.",
    about: "Einzelheiten",
    subject: "Subject",
    names: "Weitere Namen",
    noNames: "keine",
    sanTypes: { email: "E-Mail", dns: "DNS", ip: "IP-Adresse", uri: "URI" },
    issuer: "Ausgestellt von",
    serial: "Seriennummer",
    key: "Schlüssel",
    fingerprint: "SHA-256 des öffentlichen Schlüssels",
    validity: "Gültig",
    validityRange: (from, to) => `${from} bis ${to}`,
    where: "Ort",
    token: "Token",
    owner: "Inhaber",
    nobody: "niemand",
    slot: "Slot",
    requested: "Angefordert von",
    attested: "Beglaubigt",
    attestedYes: "Ja: der Token hat bewiesen, dass der Schlüssel in ihm entstand",
    attestedNo: "Beim Anfordern gab der Token keinen Beweis",
    attestation: {
      pin: "PIN",
      pinPolicies: {
        never: "Wird nie verlangt",
        once: "Wird einmal je Sitzung verlangt",
        always: "Wird bei jedem Gebrauch verlangt",
        match_once: "PIN oder Fingerabdruck, einmal je Sitzung",
        match_always: "PIN oder Fingerabdruck, bei jedem Gebrauch",
      },
      touch: "Berührung",
      touchPolicies: {
        never: "Nicht nötig",
        always: "Bei jedem Gebrauch nötig",
        cached: "Nötig, gilt dann 15 Sekunden",
      },
      firmware: "Firmware",
      formFactor: "Bauform",
      root: "Dafür bürgt",
    },
    installed: "Auf dem Token",
    installedNo: "Nicht bestätigt",
    unconfirmed:
      "Der Token hat nie bestätigt, dass er dieses Zertifikat hat. Wurde das Einrichten unterbrochen, öffnen Sie den Token und machen Sie weiter.",
    openToken: "Token ansehen",
    expired: "Dieses Zertifikat ist abgelaufen und gilt nicht mehr. Erneuern Sie es auf der Seite des Tokens.",
    expiring: "Dieses Zertifikat läuft bald ab. Erneuern Sie es auf der Seite des Tokens, solange es noch gilt.",
    revokedTitle: "Dieses Zertifikat ist widerrufen und gilt nicht mehr.",
    revokedReason: "Grund",
    revokedAt: "Widerrufen",
  },
  chain: {
    title: "Vertrauenskette",
    this: "Dieses Zertifikat",
    root: "Stammzertifizierungsstelle",
    intermediate: "Ausstellende Zertifizierungsstelle",
    until: "Gültig bis",
    other:
      "Eine andere Zertifizierungsstelle als die jetzige dieses Servers hat es ausgestellt, daher fehlt seine Kette hier.",
    unreadable:
      "Die Kette, die der Server geschickt hat, ist nicht lesbar und fehlt daher hier. Versuchen Sie es noch einmal, oder sagen Sie es der Verwaltung.",
    explain: "Wer der letzten vertraut, vertraut diesem Zertifikat.",
  },
  files: {
    menu: "Herunterladen",
    pem: "Zertifikat, PEM",
    der: "Zertifikat, DER",
    chain: "Mit Kette, PEM",
    ca: "CA-Zertifikat, PEM",
  },
  revoke: {
    action: "Widerrufen",
    open: "Widerrufen…",
    title: (name) => `Zertifikat von ${name} widerrufen?`,
    consequence: `${listed} Um den Token wieder zu benutzen, braucht der Inhaber ein neues Zertifikat.`,
    reason: "Grund",
    public: "Der Grund steht in der öffentlichen Sperrliste.",
    done: "Das Zertifikat ist widerrufen.",
    already: "Es war schon widerrufen.",
    lost: "Ist der Token selbst weg, melden Sie ihn stattdessen auf seiner Seite als verloren: das widerruft alle seine Zertifikate.",
    reasons: {
      unspecified: { name: "Ohne Angabe", hint: "Wenn kein anderer Grund passt." },
      keyCompromise: {
        name: "Schlüssel kompromittiert",
        hint: "Jemand anderes hat den Token vielleicht benutzt oder kennt seine PIN.",
      },
      superseded: { name: "Durch ein neues ersetzt", hint: "Ein anderes Zertifikat ist an seine Stelle getreten." },
      cessationOfOperation: { name: "Nicht mehr gebraucht", hint: "Wofür es gedacht war, ist vorbei." },
      affiliationChanged: {
        name: "Angaben zur Person haben sich geändert",
        hint: "Ein neuer Name oder eine andere Organisation.",
      },
      privilegeWithdrawn: { name: "Nicht mehr erlaubt", hint: "Die Person soll damit nicht mehr handeln." },
      cACompromise: {
        name: "Der Schlüssel der Zertifizierungsstelle wurde bekannt",
        hint: "Nur wenn in die ausstellende Stelle selbst eingebrochen wurde.",
      },
      aACompromise: {
        name: "Eine Attributstelle wurde kompromittiert",
        hint: "Nur wenn in die Stelle eingebrochen wurde, die für den Inhalt bürgt.",
      },
    },
  },
  select: { page: "Alle auf dieser Seite auswählen", one: (name) => `Zertifikat von ${name} auswählen` },
  many: {
    region: "Mit den ausgewählten Zertifikaten",
    title: (n) => (n === 1 ? "1 Zertifikat widerrufen?" : `${numbers.format(n)} Zertifikate widerrufen?`),
    consequence:
      "Sie kommen auf die Sperrliste. Das lässt sich nicht rückgängig machen: Um ihre Token wieder zu benutzen, brauchen die Inhaber neue Zertifikate. Ist ein Token weg, melden Sie ihn stattdessen als verloren.",
    progress: "Bisher widerrufene Zertifikate",
    cannot: (n) =>
      n === 1
        ? "Eines davon ist nicht mehr gültig; es bleibt, wie es ist."
        : `${numbers.format(n)} davon sind nicht mehr gültig; sie bleiben, wie sie sind.`,
    noneCan: "Keines davon ist noch gültig.",
    done: (n) => (n === 1 ? "1 Zertifikat widerrufen" : `${numbers.format(n)} Zertifikate widerrufen`),
    already: (n) => `${numbers.format(n)} schon widerrufen`,
    failed: (n) => `${numbers.format(n)} fehlgeschlagen`,
  },
  compromise: {
    action: "Melden",
    open: "Schlüssel als kompromittiert melden…",
    title: (name) => `Schlüssel von ${name} als kompromittiert melden?`,
    consequence:
      "Tun Sie das, wenn jemand anderes den Schlüssel haben könnte, obwohl dieses Zertifikat schon beendet ist. Der Schlüssel bekommt nie wieder ein Zertifikat, und die er noch hat, werden widerrufen. Das lässt sich nicht zurücknehmen.",
    lost: "Ist der Token selbst weg, melden Sie ihn stattdessen auf seiner Seite als verloren: das sperrt die Schlüssel, die darauf sind.",
    public: "Bis das Zertifikat abläuft, steht das auch in der öffentlichen Sperrliste.",
    done: "Der Schlüssel ist als kompromittiert vermerkt.",
    already: "Der Schlüssel war schon als kompromittiert vermerkt.",
  },
  unrecorded: {
    title: "Vom Tresor protokolliert, aber nicht in der Datenbank",
    about:
      "Vor jeder Signatur protokolliert der Tresor, für welchen Token und Schlüssel sie ist. Diese hier fehlen in der Datenbank: Ein Server wurde mittendrin beendet, es wurde nichts signiert, oder eine ältere Datenbank wurde zurückgespielt.",
    untold: "Ob es welche gibt, lässt sich zurzeit nicht prüfen",
    when: "Protokolliert",
    token: "Token",
    by: "Angefordert von",
    key: (id) => `API-Schlüssel ${id}`,
    serial: "Seriennummer",
    unknown: "nicht bekannt",
    outcome: "Ergebnis",
    fates: {
      open: "Wird geprüft",
      discarded: "Vom Server widerrufen",
      not_signed: "Nie signiert",
      lost: "Gilt womöglich noch",
      revoked: "Widerrufen",
    },
    revoke: "Widerrufen…",
    revokeOf: (token) => `Zertifikat für den Token ${token} widerrufen`,
    ask: (token) => `Zertifikat für den Token ${token} widerrufen?`,
    consequence: `${listed} Wenn der Inhaber es benutzt, braucht er ein neues.`,
  },
};
