import type { Catalogue } from "../en";
import { tokens } from "./tokens";

const numbers = new Intl.NumberFormat("de");

/** What a revocation does. */
const listed =
  "Es kommt auf die Sperrliste. Ein Dienst, der eine Kopie der Liste hat, akzeptiert das Zertifikat möglicherweise noch, bis die Kopie abläuft. Das kann bis zu drei Tage dauern. Das lässt sich nicht rückgängig machen.";

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
    within: (days) => `Laufen innerhalb von ${days} Tagen ab`,
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
    text: "Sie bekommen ein Zertifikat, wenn Sie einen Token einrichten. Stecken Sie Ihren Token ein und öffnen Sie „Meine Token“.",
    action: "Meine Token ansehen",
    none: "Keine Treffer",
    noneText: "Ändern Sie die Suche oder löschen Sie die Filter.",
  },
  ahead: {
    today: "Heute",
    some: (n, count, first) =>
      n === 1
        ? `Eines dieser Zertifikate läuft innerhalb eines Jahres ab, in der Woche ab ${first}.`
        : `${count} dieser Zertifikate laufen innerhalb eines Jahres ab, das erste in der Woche ab ${first}.`,
    none: "Keines dieser Zertifikate läuft innerhalb eines Jahres ab.",
    missing: "Die Zahlen konnten nicht geladen werden.",
    cut: "Durchsucht wurden nur die 10.000 Zertifikate, die als Erste ablaufen. Später kann es weitere geben.",
  },
  detail: {
    title: (name) => `Zertifikat von ${name}`,
    missing: "Zertifikat nicht gefunden",
    missingText: "Dieses Zertifikat gibt es nicht, oder Sie haben keinen Zugriff darauf.",
    about: "Details",
    subject: "Subject",
    names: "Weitere Namen",
    noNames: "keine",
    sanTypes: {
      email: "E-Mail",
      dns: "DNS",
      ip: "IP-Adresse",
      uri: "URI",
      upn: "UPN",
      krb5_principal: "Kerberos-Principal",
      sid: "Windows-SID",
    },
    profile: "Profil",
    keyUsage: "Wofür sein Schlüssel ist",
    purposes: "Wofür es ist",
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
    attested: "Attestiert",
    attestedYes: "Ja: Der Token hat nachgewiesen, dass der Schlüssel auf ihm erzeugt wurde",
    attestedNo: "Nein: Der Antrag kam ohne Nachweis des Tokens",
    attestation: {
      pin: "PIN",
      pinPolicies: {
        never: "Nie nötig",
        once: "Einmal je Sitzung",
        always: "Bei jeder Verwendung",
        match_once: "PIN oder Fingerabdruck, einmal je Sitzung",
        match_always: "PIN oder Fingerabdruck, bei jeder Verwendung",
      },
      touch: "Berührung",
      touchPolicies: {
        never: "Nicht nötig",
        always: "Bei jeder Verwendung",
        cached: "Einmal alle 15 Sekunden",
      },
      firmware: "Firmware",
      formFactor: "Bauform",
      root: "Attestiert von",
    },
    installed: "Auf dem Token",
    installedNo: "Nicht bestätigt",
    unconfirmed:
      "Der Token hat nie bestätigt, dass er dieses Zertifikat hat. Wurde das Einrichten unterbrochen, öffnen Sie den Token und machen Sie weiter.",
    openToken: "Token ansehen",
    expired: "Dieses Zertifikat ist abgelaufen. Erneuern Sie es auf der Seite des Tokens.",
    expiring: "Dieses Zertifikat läuft bald ab. Erneuern Sie es vorher auf der Seite des Tokens.",
    revokedTitle: "Dieses Zertifikat ist widerrufen.",
    revokedReason: "Grund",
    revokedAt: "Widerrufen",
  },
  chain: {
    title: "Vertrauenskette",
    this: "Dieses Zertifikat",
    root: "Stamm-CA",
    intermediate: "Ausstellende CA",
    until: "Gültig bis",
    other:
      "Es wurde von einer CA ausgestellt, die dieser Server nicht mehr hat oder deren Zertifikate alle abgelaufen sind. Daher wird seine Kette nicht angezeigt.",
    unreadable:
      "Die Kette, die der Server gesendet hat, ist nicht lesbar. Versuchen Sie es noch einmal oder informieren Sie Ihren Administrator.",
    explain: "Wer dem letzten Zertifikat vertraut, vertraut auch diesem.",
  },
  files: {
    menu: "Herunterladen",
    pem: "Zertifikat, PEM",
    der: "Zertifikat, DER",
    chain: "Mit Kette, PEM",
    ca: "CA-Zertifikat, PEM",
  },
  onToken: (serial) => `Token ${serial}`,
  revoke: {
    action: "Widerrufen",
    open: "Widerrufen …",
    title: (name) => `Zertifikat von ${name} widerrufen?`,
    consequence: `${listed} Um den Token wieder zu benutzen, braucht der Inhaber ein neues Zertifikat.`,
    reason: "Grund",
    public: "Der Grund steht in der öffentlichen Sperrliste.",
    done: "Zertifikat widerrufen.",
    already: "Es war schon widerrufen.",
    lost: "Ist der Token selbst weg, melden Sie ihn stattdessen auf seiner Seite als verloren. Das widerruft alle seine Zertifikate.",
    own: {
      unspecified: { name: "Anderer Grund", hint: "Wenn nichts anderes passt." },
      keyCompromise: {
        name: "Verloren, gestohlen oder von jemand anderem benutzt",
        hint: "Auch wenn jemand die PIN kennen könnte.",
      },
      superseded: { name: "Durch ein neues ersetzt", hint: "Sie haben dafür schon ein anderes Zertifikat." },
      cessationOfOperation: { name: "Brauche ich nicht mehr", hint: "Sie benutzen den Token dafür nicht mehr." },
    },
    reasons: {
      unspecified: { name: "Ohne Angabe", hint: "Wenn kein anderer Grund passt." },
      keyCompromise: {
        name: "Schlüssel kompromittiert",
        hint: "Jemand anderes hat den Token vielleicht benutzt oder kennt seine PIN.",
      },
      superseded: { name: "Durch ein neues ersetzt", hint: "Ein anderes Zertifikat ersetzt es." },
      cessationOfOperation: { name: "Nicht mehr gebraucht", hint: "Der Zweck ist weggefallen." },
      affiliationChanged: {
        name: "Person ist ausgeschieden, oder ihre Angaben haben sich geändert",
        hint: "Ausgeschieden, ein neuer Name oder eine andere Organisation.",
      },
      privilegeWithdrawn: { name: "Nicht mehr erlaubt", hint: "Die Person darf es nicht mehr benutzen." },
      cACompromise: {
        name: "Der Schlüssel der CA ist kompromittiert",
        hint: "Nur wenn die ausstellende CA selbst kompromittiert wurde.",
      },
      aACompromise: {
        name: "Eine Attributstelle wurde kompromittiert",
        hint: "Nur wenn die Stelle kompromittiert wurde, die seine Attribute bestätigt.",
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
        ? "Eines davon ist nicht mehr gültig und bleibt unverändert."
        : `${numbers.format(n)} davon sind nicht mehr gültig und bleiben unverändert.`,
    noneCan: "Keines davon ist noch gültig.",
    done: (n) => (n === 1 ? "1 Zertifikat widerrufen" : `${numbers.format(n)} Zertifikate widerrufen`),
    already: (n) => `${numbers.format(n)} schon widerrufen`,
    failed: (n) => `${numbers.format(n)} fehlgeschlagen`,
  },
  compromise: {
    action: "Melden",
    open: "Schlüssel als kompromittiert melden …",
    title: (name) => `Schlüssel von ${name} als kompromittiert melden?`,
    consequence:
      "Tun Sie das, wenn jemand anderes den Schlüssel haben könnte, auch wenn dieses Zertifikat nicht mehr gilt. Der Schlüssel bekommt nie wieder ein Zertifikat, und seine übrigen Zertifikate werden widerrufen. Das lässt sich nicht rückgängig machen.",
    lost: "Ist der Token selbst weg, melden Sie ihn stattdessen auf seiner Seite als verloren. Dann bekommt keiner seiner Schlüssel wieder ein Zertifikat.",
    public: "Ist das Zertifikat noch nicht abgelaufen, steht das in der öffentlichen Sperrliste.",
    done: "Schlüssel als kompromittiert gemeldet.",
    already: "Der Schlüssel war schon als kompromittiert gemeldet.",
  },
  unrecorded: {
    title: "Vom Tresor protokolliert, aber nicht in der Datenbank",
    about:
      "Der Tresor protokolliert jede Signatur, bevor er sie erstellt. Zu diesen Einträgen gibt es kein Zertifikat in der Datenbank: Ein Server wurde mittendrin beendet, es wurde nichts signiert, oder eine ältere Datenbank wurde zurückgespielt.",
    untold: "Ob es welche gibt, lässt sich zurzeit nicht prüfen",
    when: "Protokolliert",
    token: "Token",
    by: "Angefordert von",
    key: (id) => `API-Schlüssel ${id}`,
    serial: "Seriennummer",
    unknown: "unbekannt",
    outcome: "Ergebnis",
    fates: {
      open: "Wird geprüft",
      discarded: "Vom Server widerrufen",
      not_signed: "Nie signiert",
      lost: "Möglicherweise noch gültig",
      revoked: "Widerrufen",
    },
    revoke: "Widerrufen …",
    revokeOf: (token) => `Zertifikat für den Token ${token} widerrufen`,
    ask: (token) => `Zertifikat für den Token ${token} widerrufen?`,
    consequence: `${listed} Wenn der Inhaber es benutzt, braucht er ein neues.`,
  },
};
