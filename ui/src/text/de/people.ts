import type { Catalogue } from "../en";

export const people: Catalogue["people"] = {
  title: "Personen",
  list: "Konten",
  add: "Person anlegen",
  filter: {
    search: "Name, Benutzername oder E-Mail suchen",
    role: "Rolle",
    state: "Status",
    never: "Nie angemeldet",
    organization: "Organisation",
    tokens: "Token",
    noToken: "Ohne Token",
    someToken: "Mit Token",
    ending: (days) => `Zertifikat läuft innerhalb von ${days} Tagen ab`,
  },
  columns: {
    person: "Person",
    email: "E-Mail",
    role: "Rolle",
    organization: "Organisation",
    tokens: "Token",
    state: "Status",
    lastLogin: "Letzte Anmeldung",
    added: "Angelegt",
  },
  states: {
    active: "Aktiv",
    disabled: "Deaktiviert",
    locked: "Gesperrt",
    mustChange: "Neues Passwort nötig",
    waiting: "Eingeladen",
    mailFails: "E-Mails kommen nicht an",
    recovery: "Bei der Wiederherstellung deaktiviert",
  },
  select: { page: "Alle auf dieser Seite auswählen", one: (name) => `${name} auswählen` },
  enable: {
    region: "Mit den ausgewählten Konten",
    selected: (n) => `${n} ausgewählt`,
    clear: "Auswahl aufheben",
    all: "Alle Treffer auswählen",
    action: "Aktivieren",
    title: (n, count) => (n === 1 ? "1 Konto aktivieren?" : `${count} Konten aktivieren?`),
    text: "Sie können sich sofort wieder anmelden, mit derselben Rolle und demselben Passwort wie zuvor. Im Protokoll steht jedes einzelne Konto.",
    powerful: (n) =>
      n === 1 ? "Eines davon verwaltet Konten und Token anderer:" : `${n} davon verwalten Konten und Token anderer:`,
    done: (n, count) => (n === 1 ? "1 Konto ist aktiviert" : `${count} Konten sind aktiviert`),
  },
  mail: {
    title: "E-Mails an diese Adresse kommen nicht an",
    until: "Ist die Adresse falsch, ändern Sie sie.",
    since: "Bemerkt",
  },
  neverSignedIn: "nie",
  noOrganization: "keine Organisation",
  empty: {
    title: "Noch keine Personen",
    text: "Legen Sie die Personen an, die Token benutzen. Jede bekommt ein Konto.",
    noneTitle: "Keine Treffer",
    noneText: "Ändern Sie die Suche oder löschen Sie die Filter.",
  },
  pick: { nothing: "Keine Treffer" },
  fields: {
    username: "Benutzername",
    name: "Name",
    usernameHint: "Buchstaben, Ziffern, Punkte, Binde- und Unterstriche oder die E-Mail-Adresse der Person.",
    email: "E-Mail",
    emailHint: "Kann in Zertifikaten erscheinen.",
    upn: "UPN",
    upnHint: "Steht er in einem Zertifikat, entscheidet er, wen Windows und Kerberos anmelden: name@example.org.",
    sid: "SID",
    sidHint: "Des Windows-Kontos: S-1-5-21-…",
    globalOnly: "Nur ein globaler Administrator kann das ändern.",
    role: "Rolle",
    organization: "Organisation",
    password: "Passwort",
  },
  roleHints: {
    global_admin: "Alles, in jeder Organisation.",
    org_manager: "Personen und Token einer Organisation.",
    user: "Nur die eigenen Token.",
  },
  create: {
    title: "Person anlegen",
    submit: "Anlegen",
    invite: "Einladen",
    invited:
      "Die Person bekommt einen Link per E-Mail, falls das eingerichtet ist. Sie bekommen ihn auch, um ihn weiterzugeben. Über den Link wählt sie ihr Passwort. Er gilt 24 Stunden.",
    generate: "Erzeugen",
    type: "Eingeben",
    generated: "Das zufällige Passwort wird nur einmal angezeigt.",
    mustChange: "Bei der ersten Anmeldung ein neues Passwort verlangen",
    done: (name) => `${name} kann sich jetzt anmelden`,
  },
  importing: {
    title: "Personen importieren",
    what: "Eine CSV-Datei mit einer Person je Zeile, mit Kommas oder Semikolons. Die erste Zeile nennt die Spalten, in beliebiger Reihenfolge. Nur email ist Pflicht: Ohne username wird die E-Mail-Adresse zum Benutzernamen. Organisationen werden mit ihrem Namen angegeben und müssen vorhanden sein. upn und sid sind die Namen des Windows-Kontos; eine SID oder einen UPN außerhalb der UPN-Suffixe der Organisation kann nur ein globaler Administrator festlegen.",
    limit: "CSV in UTF-8, bis 8 MiB und 5.000 Personen.",
    checking: "Jede Zeile wird geprüft. Noch wird niemand angelegt.",
    preview: "Vorschau",
    result: "Ergebnis",
    dry: "Noch ist niemand angelegt.",
    mend: (n) =>
      n === 1
        ? "Noch wurde niemand angelegt. 1 Zeile enthält Fehler: Korrigieren Sie sie und wählen Sie die Datei erneut aus, oder überspringen Sie die Zeile."
        : `Noch wurde niemand angelegt. ${n} Zeilen enthalten Fehler: Korrigieren Sie sie und wählen Sie die Datei erneut aus, oder überspringen Sie die Zeilen.`,
    skip: (n) => (n === 1 ? "Zeile mit Fehlern überspringen" : `${n} Zeilen mit Fehlern überspringen`),
    invite: "Einladen",
    inviteText:
      "Alle bekommen einen Link, über den sie ihr Passwort wählen, per E-Mail, falls das eingerichtet ist. Die Links werden auch Ihnen angezeigt. Sie gelten 24 Stunden.",
    submit: (n) => (n === 0 ? "Keine neuen Personen" : n === 1 ? "1 Person anlegen" : `${n} Personen anlegen`),
    progress: "Fortschritt",
    madeOf: (n, all) => `${n} von ${all} angelegt`,
    done: (n) => (n === 1 ? "1 Person ist angelegt" : `${n} Personen sind angelegt`),
    mailed:
      "Die Einladungen werden per E-Mail verschickt. Kommt eine nicht an, geben Sie den Link auf sicherem Weg weiter. Die Links werden nur jetzt angezeigt.",
    unmailed:
      "Nicht alle Einladungen werden per E-Mail verschickt. Geben Sie die Links innerhalb von 24 Stunden auf sicherem Weg weiter. Sie werden nur jetzt angezeigt.",
    links: "Links speichern",
    table: "Ergebnisse je Zeile",
    none: "Die Datei enthält keine Personen.",
    line: "Zeile",
    errors: "Fehler",
    results: {
      new: "Neu",
      created: "Angelegt",
      unchanged: "Schon vorhanden",
      failed: "Fehlgeschlagen",
      left: "Noch nicht angelegt",
    },
  },
  invite: {
    action: "Einladen",
    title: (name) => `Einladung für ${name}`,
    label: "Link",
    said: (address) =>
      (address
        ? `Er geht per E-Mail an ${address}. Kommt er dort nicht an, geben Sie ihn auf sicherem Weg weiter`
        : "Geben Sie ihn auf sicherem Weg weiter") +
      ": Wer ihn öffnet, kann das Passwort festlegen. Er gilt nur einmal und nur 24 Stunden und wird nur jetzt angezeigt. Frühere Links gelten nicht mehr.",
  },
  once: {
    label: "Passwort",
    text: "Geben Sie es auf sicherem Weg weiter. Es wird nur jetzt angezeigt.",
    mustChange: "Bei der nächsten Anmeldung muss es geändert werden.",
    close: "Ich habe es gespeichert",
  },
  details: {
    saved: "Gespeichert",
    ownRole: "Sie können Ihre eigene Rolle nicht ändern. Bitten Sie einen anderen Administrator.",
    globalNoOrganization: "Ein globaler Administrator gehört zu keiner Organisation.",
    tokensFollow: "Die Token der Person ziehen mit um.",
    usernameFollows: "Der Benutzername ist diese E-Mail-Adresse und ändert sich mit.",
    managerNeedsOne: "Ein Organisationsverwalter braucht eine Organisation.",
  },
  former: {
    title: "Was wird aus den Zertifikaten?",
    text: (n) =>
      n === 1
        ? "Ein gültiges Zertifikat trägt den bisherigen Namen der Person."
        : `${n} gültige Zertifikate tragen den bisherigen Namen der Person.`,
    revoke: "Widerrufen",
    revokeText: "Sie kommen auf die Sperrliste. Die Person braucht neue.",
    keep: "Behalten",
    keepText: "Sie gelten mit dem bisherigen Namen bis zu ihrem Ablauf.",
    reserved:
      "In beiden Fällen kann niemand sonst den bisherigen Namen bekommen, bis das letzte dieser Zertifikate abgelaufen ist.",
    submit: "Namen ändern",
  },
  facts: {
    signsIn: "Meldet sich an",
    local: "mit Passwort",
    oidc: "per Single Sign-on",
    lastLogin: "Letzte Anmeldung",
    created: "Angelegt",
    locked: "Gesperrt bis",
  },
  access: {
    disable: "Deaktivieren",
    enable: "Aktivieren",
    unlock: "Entsperren",
    reset: "Passwort zurücksetzen",
    ownDisable: "Sie können Ihr eigenes Konto nicht deaktivieren. Bitten Sie einen anderen Administrator.",
    ownReset: "Das ist Ihr eigenes Konto. Ändern Sie das Passwort in Ihrem Profil.",
    oidcReset: "Dieses Konto meldet sich beim Identitätsanbieter an. Setzen Sie das Passwort dort zurück.",
    enabled: (name) => `${name} kann sich wieder anmelden`,
    unlocked: (name) => `Das Konto von ${name} ist entsperrt`,
    resetTitle: (name) => `Passwort von ${name} zurücksetzen?`,
    resetText:
      "Das neue zufällige Passwort wird nur einmal angezeigt. Alle Sitzungen der Person enden, und eine Kontosperre wird aufgehoben.",
    resetDone: (name) => `Neues Passwort von ${name}`,
  },
  leave: {
    title: (name) => `${name} deaktivieren?`,
    text: "Die Person kann sich nicht mehr anmelden, bis Sie das Konto wieder aktivieren.",
    action: "Deaktivieren",
    laterTitle: (name) => `Token von ${name} vorübergehend sperren oder Zertifikate widerrufen?`,
    both: "Vorübergehend sperren und widerrufen",
    suspendOnly: "Vorübergehend sperren",
    revokeOnly: "Widerrufen",
    left: (tokens, certificates) =>
      `Das Konto ist deaktiviert, hat aber noch ${[
        tokens === 0 ? "" : tokens === 1 ? "1 Token in Gebrauch" : `${tokens} Token in Gebrauch`,
        certificates === 0 ? "" : certificates === 1 ? "1 gültiges Zertifikat" : `${certificates} gültige Zertifikate`,
      ]
        .filter(Boolean)
        .join(" und ")}.`,
    sessions: (n) =>
      n === 0
        ? "Die Person ist nirgends angemeldet."
        : n === 1
          ? "1 Sitzung endet sofort."
          : `${n} Sitzungen enden sofort.`,
    keys: (n) =>
      n === 1
        ? "1 API-Schlüssel der Person gilt nicht, solange das Konto deaktiviert ist."
        : `${n} API-Schlüssel der Person gelten nicht, solange das Konto deaktiviert ist.`,
    suspend: (n) =>
      n === 1 ? "Den Token der Person vorübergehend sperren" : `${n} Token der Person vorübergehend sperren`,
    suspendText: "Er bekommt dann kein neues Zertifikat. Sie können ihn wieder freigeben.",
    revoke: (n) => (n === 1 ? "Das Zertifikat der Person widerrufen" : `Die ${n} Zertifikate der Person widerrufen`),
    revokeText:
      "Für Personen, die endgültig ausscheiden. Die Zertifikate kommen auf die Sperrliste. Das lässt sich nicht rückgängig machen.",
    expires: (date) => `läuft am ${date} ab`,
    nothing: "Die Person hat keinen Token in Gebrauch und kein gültiges Zertifikat.",
    done: (name, tokens, certificates) =>
      [
        `${name} ist deaktiviert`,
        tokens === 0 ? "" : `${tokens} Token vorübergehend gesperrt`,
        certificates === 0
          ? ""
          : certificates === 1
            ? "1 Zertifikat widerrufen"
            : `${certificates} Zertifikate widerrufen`,
      ]
        .filter(Boolean)
        .join(", "),
    unpublished: (n) =>
      n === 1
        ? "1 Zertifikat ist widerrufen, steht aber noch nicht auf der Sperrliste: Der Tresor hat den Widerruf nicht angenommen. Der Server versucht es weiter."
        : `${n} Zertifikate sind widerrufen, stehen aber noch nicht auf der Sperrliste: Der Tresor hat die Widerrufe nicht angenommen. Der Server versucht es weiter.`,
  },
  sessions: {
    title: "Sitzungen",
    none: "Nirgends angemeldet.",
    end: "Beenden",
    endOf: (where) => `Sitzung auf ${where} beenden`,
    ended: "Die Sitzung ist beendet",
    current: "diese",
    since: "angemeldet",
    agent: "Agent registriert",
    unknownBrowser: "Unbekanntes Programm",
  },
  organizations: {
    title: "Organisationen",
    list: "Organisationen",
    add: "Organisation anlegen",
    search: "Namen suchen",
    columns: { name: "Name", leads: "Ansehen", state: "Status", domains: "E-Mail-Domains", created: "Angelegt" },
    anyDomain: "beliebig",
    people: "Personen",
    tokens: "Token",
    peopleOf: (name) => `Personen von ${name}`,
    tokensOf: (name) => `Token von ${name}`,
    edit: "Ändern",
    editOf: (name) => `${name} ändern`,
    name: "Name",
    domains: "E-Mail-Domains",
    domainsHint:
      "Die E-Mail-Adressen der Mitglieder müssen zu einer dieser Domains gehören. Geben Sie eine Domain wie example.org ein und drücken Sie die Eingabetaste.",
    domainsPlaceholder: "beliebige Domain",
    suffixes: "UPN-Suffixe",
    suffixesHint:
      "Verwalter können Mitgliedern UPNs geben, die auf eines davon enden, zum Beispiel corp.example.org. Andere UPNs legen globale Administratoren fest.",
    suffixesPlaceholder: "keine",
    realm: "Kerberos-Realm",
    realmHint:
      "Der Realm der Kerberos-Principals der Mitglieder, in genauer Schreibweise: CORP.EXAMPLE.ORG. Leer: der Realm des Servers.",
    created: (name) => `${name} ist angelegt`,
    saved: "Gespeichert",
    disable: "Deaktivieren",
    enable: "Aktivieren",
    disableTitle: (name) => `${name} deaktivieren?`,
    disableText:
      "Alle Mitglieder werden sofort abgemeldet und können sich nicht anmelden, bis Sie die Organisation wieder aktivieren. Die Token und Zertifikate der Organisation ändern sich nicht.",
    disabled: (name) => `${name} ist deaktiviert`,
    enabled: (name) => `Mitglieder von ${name} können sich wieder anmelden`,
    empty: {
      noneText: "Ändern Sie die Suche oder löschen Sie die Filter.",
      title: "Noch keine Organisationen",
      text: "Organisationen trennen Personen und Token und können eigene Verwalter haben.",
    },
  },
};
