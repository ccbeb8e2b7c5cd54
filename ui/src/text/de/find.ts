import type { Catalogue } from "../en";

export const find: Catalogue["find"] = {
  button: "Suchen",
  shortcut: "Strg K",
  title: "Suchen",
  results: "Ergebnisse",
  groups: {
    pages: "Seiten",
    tokens: "Token",
    people: "Personen",
    certificates: "Zertifikate",
    organizations: "Organisationen",
  },
  all: (total) => `Alle ansehen (${total})`,
  count: (n) => (n === 1 ? "1 Ergebnis" : `${n} Ergebnisse`),
  searching: "Suche läuft",
  none: "Keine Treffer",
  noneText:
    "Prüfen Sie die Schreibweise, oder geben Sie einen Teil von Seriennummer, Bezeichnung, Name, Benutzername oder E-Mail-Adresse ein.",
  failed: (what) => `Nicht durchsucht: ${what}`,
  keys: "↑ ↓ auswählen, Enter öffnen, Esc schließen",
};
