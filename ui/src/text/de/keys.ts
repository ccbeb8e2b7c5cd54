import type { Catalogue } from "../en";

export const keys: Catalogue["keys"] = {
  title: "API-Schlüssel",
  intro:
    "Für Programme, die selbstständig arbeiten, etwa Skripte, Monitoring oder eine Inventarisierung. Ein Schlüssel gilt im Rahmen seiner Rolle, bis er abläuft oder widerrufen wird.",
  limits: {
    title: "Was Schlüssel nicht können",
    text: "Ein Schlüssel hat keine Sitzung. Er kann daher keine Geheimnisse von Token abrufen oder ändern, keine Agenten registrieren, keine Sitzungen und Schlüssel verwalten, keine Passwörter zurücksetzen, keine Einstellungen ändern, keine Webhooks anlegen, keine Lizenz hochladen und keine Sicherung wiederherstellen. Dafür muss sich eine Person anmelden.",
  },
  create: "Schlüssel anlegen",
  list: "API-Schlüssel",
  show: { label: "Anzeigen", active: "Aktive", all: "Alle" },
  columns: {
    name: "Name",
    reach: "Geltungsbereich",
    state: "Status",
    used: "Zuletzt benutzt",
    by: "Angelegt von",
    actions: "Aktionen",
  },
  state: { active: "Aktiv", expiring: "Läuft bald ab", expired: "Abgelaufen", revoked: "Widerrufen" },
  expires: "bis",
  expired: "abgelaufen",
  revoked: "widerrufen",
  neverUsed: "nie",
  everywhere: "Alle Organisationen",
  noOrganization: "Keine Organisation",
  empty: {
    title: "Noch keine Schlüssel",
    text: "Legen Sie einen an, um die API von Keyward aus einem Programm zu nutzen. Abgelaufene und widerrufene Schlüssel bleiben unter „Alle“ sichtbar.",
    noneActive: "Keine aktiven Schlüssel",
  },
  form: {
    title: "API-Schlüssel anlegen",
    name: "Name",
    nameHint: "Wofür er benutzt wird, etwa „Inventarabgleich“. Der Name steht im Protokoll.",
    role: "Was er darf",
    roles: {
      global_admin: "Alle Organisationen",
      org_manager: "Eine Organisation verwalten",
    },
    roleHints: {
      global_admin:
        "Organisationen, Personen mit der Rolle Benutzer, Token, Zertifikate, das Protokoll, den Systemzustand und das Starten von Sicherungen.",
      org_manager:
        "Personen, Token und Zertifikate dieser Organisation und ihr Protokoll. Webhooks kann er nicht anlegen oder ändern.",
    },
    scope: "Wie viel davon",
    scopes: {
      all: "Alles",
      read: "Nur lesen",
      monitor: "Überwachung",
      inventory: "Inventar",
    },
    scopeHints: {
      all: "Lesen und ändern.",
      read: "Alles davon lesen, aber nichts ändern.",
      monitor: "Nur Systemzustand, Aufträge, Sicherungen, Lizenz, E-Mail und Zertifizierungsstelle lesen.",
      inventory: "Nur Token, Zertifikate, Personen, Organisationen und den Compliance-Bericht lesen.",
    },
    managerOnly: (organization) =>
      `Der Schlüssel verwaltet ${organization}: Personen, Token, Zertifikate und das Protokoll. Webhooks kann er nicht anlegen oder ändern.`,
    organization: "Organisation",
    chooseOrganization: "Organisation wählen",
    lifetime: "Gültigkeitsdauer",
    presets: {
      "30": "30 Tage",
      "90": "90 Tage",
      "180": "180 Tage",
      "365": "1 Jahr",
      date: "Eigenes Datum",
    },
    until: "Gültig bis einschließlich",
    expiresOn: (day) => `Läuft am ${day} ab.`,
    dateRange: "Wählen Sie ein Datum ab heute, höchstens 400 Tage im Voraus.",
    submit: "Schlüssel anlegen",
  },
  made: {
    title: "Ihr neuer Schlüssel",
    label: (name) => `API-Schlüssel „${name}“`,
    warning:
      "Kopieren Sie ihn jetzt: Er wird nur dieses eine Mal angezeigt. Bewahren Sie ihn so sicher auf wie ein Passwort, im Secret Store Ihres Programms.",
    example: "Ausprobieren",
    exampleHint:
      "Speichern Sie den Schlüssel zuerst in einer Umgebungsvariablen, damit er nicht in der Shell-History steht:",
    paste: "Schlüssel einfügen, dann Eingabetaste",
    done: "Ich habe ihn gespeichert",
  },
  revoke: {
    action: "Widerrufen",
    of: (name) => `${name} widerrufen`,
    title: (name) => `„${name}“ widerrufen?`,
    text: "Alles, was diesen Schlüssel benutzt, funktioniert sofort nicht mehr. Das lässt sich nicht rückgängig machen. Legen Sie bei Bedarf einen neuen an.",
    lastUsed: "Zuletzt benutzt:",
    unused: "Er wurde nie benutzt.",
    done: "Schlüssel widerrufen.",
  },
};
