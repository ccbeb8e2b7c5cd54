export const find = {
  button: "Find",
  /** The keys as they stand on a keyboard. */
  shortcut: "Ctrl K",
  title: "Find",
  results: "Results",
  groups: {
    pages: "Pages",
    tokens: "Tokens",
    people: "People",
    certificates: "Certificates",
    organizations: "Organizations",
  },
  all: (total: string) => `View all (${total})`,
  count: (n: number) => (n === 1 ? "1 result" : `${n} results`),
  searching: "Searching",
  none: "No matches",
  noneText: "Check the spelling, or enter part of a serial number, label, name, username or email address.",
  failed: (what: string) => `Not searched: ${what}`,
  keys: "↑ ↓ to choose, Enter to open, Esc to close",
};
