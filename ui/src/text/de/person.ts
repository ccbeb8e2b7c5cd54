import type { Catalogue } from "../en";

export const person: Catalogue["person"] = {
  edit: "Ändern",
  editOf: (name) => `${name} ändern`,
  missing: "Person nicht gefunden",
  missingText: "Unter dieser Adresse gibt es nichts, oder Sie können es nicht sehen.",
  account: "Angaben",
  anyLanguage: "wie im Browser",
  history: "Verlauf",
  noHistory: "Das Protokoll enthält noch keine Einträge.",
  audit: "Im Protokoll ansehen",
  tokens: { title: "Token", all: "Alle anzeigen", none: "Noch kein Token." },
  certificates: {
    title: "Zertifikate",
    all: "Alle anzeigen",
    none: "Noch kein Zertifikat.",
    noneLive: "Zurzeit ist keines der Zertifikate gültig.",
  },
  assign: {
    action: "Token zuweisen",
    title: (name) => `${name} einen Token zuweisen`,
    token: "Token",
    tokenHint: "Token im Bestand: Seriennummer oder Bezeichnung suchen",
    means: "Die Person sieht den Token dann unter „Meine Token“, und er kann eingerichtet werden.",
    submit: "Zuweisen",
    done: (serial, name) => `Token ${serial} ist ${name} zugewiesen`,
  },
  due: {
    bothBlocked: "PIN und PUK sind gesperrt",
    pinBlocked: "Die PIN ist gesperrt",
    pinLow: "Nur noch ein PIN-Versuch übrig",
    pukBlocked: "Die PUK ist gesperrt",
    factory: "Hat noch PIN, PUK und Management-Schlüssel ab Werk",
    setUp: "Noch nicht eingerichtet",
    half: "Einrichtung wurde unterbrochen",
    halfReset: "Zurücksetzen wurde unterbrochen",
    rotation: "Ändern der Geheimnisse wurde unterbrochen",
    ownPin: "Hat noch die zufällige PIN von der Einrichtung",
    bare: "Kein gültiges Zertifikat",
    begun: (slot) => `${slot}: Ausstellen eines neuen Zertifikats wurde unterbrochen`,
    missing: (slot) => `${slot}: Das Zertifikat ist nicht mehr auf dem Token`,
    expired: (slot) => `${slot}: Das Zertifikat ist abgelaufen`,
    revoked: (slot) => `${slot}: Das Zertifikat ist widerrufen`,
    ends: (slot, days) =>
      days <= 0
        ? `${slot}: Das Zertifikat läuft heute ab`
        : `${slot}: Das Zertifikat läuft in ${days} ${days === 1 ? "Tag" : "Tagen"} ab`,
    suspended: "Vorübergehend gesperrt",
    lost: "",
    retired: "",
  },
  next: {
    leave: "Sperren oder widerrufen",
    leaveText:
      "Sperren Sie die Token vorübergehend und widerrufen Sie die Zertifikate, wenn jemand endgültig ausscheidet.",
    disabled: (name) => `${name} kann sich nicht anmelden: Das Konto ist deaktiviert.`,
    stillOut: (name, n, serials) =>
      `${name} kann sich nicht anmelden und hat noch ${n === 1 ? "den" : "die"} Token ${serials}.`,
    stillOutText:
      "Ist ein Token zurückgegeben, stecken Sie ihn ein und nehmen Sie ihn zurück: Er wird zurückgesetzt und ist wieder im Bestand.",
    disabledText: "Kein Token ist in Gebrauch, und kein Zertifikat ist gültig.",
    locked: (name, until) => `Das Konto von ${name} ist bis ${until} gesperrt.`,
    lockedText:
      "Es gab zu viele fehlgeschlagene Anmeldungen. Vergewissern Sie sich, dass es wirklich diese Person war.",
    uninvited: (name) => `${name} hat noch kein Passwort und keine Einladung.`,
    uninvitedText: "Eine Einladung ist ein Link, über den die Person ihr erstes Passwort wählt.",
    expired: (name, ago) => `Die Einladung für ${name} ist abgelaufen. Sie wurde ${ago} erstellt.`,
    expiredText: "Ein neuer Link gilt 24 Stunden.",
    invited: (name, ago) => `${name} wurde ${ago} eingeladen und hat noch kein Passwort gewählt.`,
    invitedText: "Der Link gilt 24 Stunden. Ein neuer ersetzt ihn.",
    again: "Erneut einladen",
    tokenless: (name) => `${name} hat keinen Token.`,
    tokenlessText: "Weisen Sie einen aus dem Bestand zu. Danach kann er eingerichtet werden.",
    token: (token, due) => `${token}: ${due}`,
    tokenText: "Die Seite des Tokens sagt, was zu tun ist.",
    suspendedText: "Auf der Seite des Tokens können Sie ihn wieder freigeben.",
    open: "Token ansehen",
    nothing: (name) => `Für ${name} ist nichts zu tun.`,
    until: (day) => `Alle Zertifikate gelten mindestens bis ${day}.`,
  },
  organization: {
    missing: "Organisation nicht gefunden",
    serverRealm: "der des Servers",
    counts: "Was dazugehört",
    people: "Personen",
    tokens: "Token",
    certificates: "Gültige Zertifikate",
    view: "Ansehen",
    nothing: "Nichts zu tun.",
    nothingText: "Alle zugewiesenen Token sind eingerichtet, und in den nächsten 30 Tagen läuft kein Zertifikat ab.",
    empty: (name) => `Zu ${name} gehört noch niemand.`,
    emptyText: "Legen Sie die Personen einzeln an oder importieren Sie sie aus einer Datei.",
    tasks: {
      locked: (n, count) => (n === 1 ? "1 Konto ist gesperrt." : `${count} Konten sind gesperrt.`),
      lapsed: (n, count) =>
        n === 1
          ? "1 Zertifikat auf einem aktiven Token ist abgelaufen und wurde nicht erneuert."
          : `${count} Zertifikate auf aktiven Token sind abgelaufen und wurden nicht erneuert.`,
      ending: (n, count) =>
        n === 1
          ? "1 Zertifikat läuft innerhalb von 30 Tagen ab."
          : `${count} Zertifikate laufen innerhalb von 30 Tagen ab.`,
      setUp: (n, count) =>
        n === 1
          ? "1 zugewiesener Token ist noch nicht eingerichtet."
          : `${count} zugewiesene Token sind noch nicht eingerichtet.`,
      invited: (n, count) =>
        n === 1 ? "1 Einladung ist noch nicht angenommen." : `${count} Einladungen sind noch nicht angenommen.`,
      tokenless: (n, count) => (n === 1 ? "1 Person hat keinen Token." : `${count} Personen haben keinen Token.`),
    },
  },
};
