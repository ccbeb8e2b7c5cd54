import type { Catalogue } from "../en";

export const keys: Catalogue["keys"] = {
  title: "API-Schlüssel",
  intro:
    "Mit einem Schlüssel handelt ein Programm ohne eine Person: Skripte, Überwachung, ein Inventar. Er gilt im Rahmen seiner Rolle, bis er abläuft oder widerrufen wird.",
  limits: {
    title: "Was Schlüssel nicht können",
    text: "Ein Schlüssel hat keine Sitzung. Deshalb erreicht er nie PINs und andere Geheimnisse von Token, keine Rotationen, keine Anmeldung von Agenten und keine Schlüssel. Dafür meldet sich ein Mensch an.",
  },
  create: "Schlüssel anlegen",
  list: "API-Schlüssel",
  show: { label: "Anzeigen", active: "Aktive", all: "Alle" },
  columns: {
    name: "Name",
    reach: "Reichweite",
    state: "Zustand",
    used: "Zuletzt benutzt",
    by: "Angelegt von",
    actions: "Aktionen",
  },
  state: { active: "Aktiv", expiring: "Läuft bald ab", expired: "Abgelaufen", revoked: "Widerrufen" },
  expires: "bis",
  expired: "endete am",
  revoked: "widerrufen",
  neverUsed: "nie",
  everywhere: "Alle Organisationen",
  noOrganization: "Keine Organisation",
  empty: {
    title: "Noch keine Schlüssel",
    text: "Legen Sie einen an, wenn ein Programm die Schnittstelle von Keyward benutzen soll. Ungültige bleiben unter „Alle“ sichtbar.",
    noneActive: "Kein aktiver Schlüssel",
  },
  form: {
    title: "API-Schlüssel anlegen",
    name: "Name",
    nameHint: "Wer ihn benutzt: „Inventarabgleich“. Der Name steht im Protokoll.",
    role: "Was er darf",
    roles: {
      global_admin: "Alles verwalten",
      org_manager: "Eine Organisation verwalten",
    },
    roleHints: {
      global_admin: "Alle Organisationen, Personen, Token, das Protokoll und den Zustand des Systems.",
      org_manager: "Personen, Token, Zertifikate, Webhooks und das Protokoll dieser Organisation.",
    },
    managerOnly: (organization) =>
      `Der Schlüssel verwaltet ${organization}: Personen, Token, Zertifikate, Webhooks und das Protokoll.`,
    organization: "Organisation",
    chooseOrganization: "Organisation wählen",
    lifetime: "Gültigkeit",
    presets: {
      "30": "30 Tage",
      "90": "90 Tage",
      "180": "180 Tage",
      "365": "1 Jahr",
      date: "Bis zu einem Tag meiner Wahl",
    },
    until: "Gültig bis zum Ende des",
    expiresOn: (day) => `Läuft am ${day} ab.`,
    dateRange: "Wählen Sie einen Tag ab heute, höchstens 400 Tage voraus.",
    submit: "Schlüssel anlegen",
  },
  made: {
    title: "Ihr neuer Schlüssel",
    label: (name) => `API-Schlüssel „${name}“`,
    warning:
      "Kopieren Sie ihn jetzt: Er wird nur dieses eine Mal gezeigt. Verwahren Sie ihn wie ein Passwort, im Geheimnisspeicher Ihres Programms.",
    example: "Ausprobieren",
    exampleHint: "Legen Sie den Schlüssel zuerst in die Umgebung, damit er nicht im Verlauf der Shell bleibt:",
    paste: "Schlüssel einfügen, dann Eingabetaste",
    done: "Ich habe ihn verwahrt",
  },
  revoke: {
    action: "Widerrufen",
    of: (name) => `${name} widerrufen`,
    title: (name) => `„${name}“ widerrufen?`,
    text: "Was diesen Schlüssel benutzt, hört sofort auf zu funktionieren. Ein widerrufener Schlüssel gilt nie wieder; legen Sie stattdessen einen neuen an.",
    lastUsed: "Zuletzt benutzt:",
    unused: "Er wurde nie benutzt.",
    done: "Der Schlüssel ist widerrufen.",
  },
};
