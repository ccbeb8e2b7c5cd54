import type { Catalogue } from "../en";

export const login: Catalogue["login"] = {
  title: "Anmelden",
  adminTitle: "Anmeldung für Administratoren",
  username: "Benutzername oder E-Mail",
  password: "Passwort",
  submit: "Anmelden",
  sso: (name) => `Anmelden mit ${name}`,
  or: "oder",
  localOff: "Die Anmeldung mit Passwort ist ausgeschaltet. Nutzen Sie Single Sign-on.",
  ended: {
    title: "Ihre Sitzung ist beendet",
    expired:
      "Sie ist abgelaufen oder wurde von Ihnen oder einem Administrator beendet. Melden Sie sich wieder an, um weiterzumachen.",
    elsewhere: "Sie haben sich in einem anderen Tab abgemeldet. Melden Sie sich wieder an, um weiterzumachen.",
    other: "Jemand anderes hat sich angemeldet, daher beginnt diese Seite neu.",
  },
  stillIn: "Sie sind noch angemeldet. Versuchen Sie noch einmal, sich abzumelden.",
  change: {
    title: "Neues Passwort wählen",
    why: "Ihr Passwort muss geändert werden, bevor Sie sich anmelden können.",
    current: "Bisheriges Passwort",
    next: "Neues Passwort",
    repeat: "Neues Passwort wiederholen",
    mismatch: "Die Passwörter stimmen nicht überein.",
    submit: "Ändern und anmelden",
    accepted: "Ihr Passwort ist geändert. Melden Sie sich mit dem neuen an.",
    length: (min, max) => `${min} bis ${max} Zeichen`,
    uppercase: "ein Großbuchstabe",
    lowercase: "ein Kleinbuchstabe",
    digit: "eine Ziffer",
    symbol: "ein Sonderzeichen",
    common: "kein häufiges Passwort",
    own: "nicht Ihr Benutzername und nicht Ihre E-Mail-Adresse, auch nicht mit angehängten Zeichen",
  },
  invitation: {
    title: "Wählen Sie Ihr Passwort",
    why: (name) => `Willkommen, ${name}. Wählen Sie das Passwort für Ihr Keyward-Konto.`,
    username: "Benutzername:",
    none: "Dieser Link ist unvollständig. Öffnen Sie den vollständigen Link, den Sie erhalten haben.",
    next: "Passwort",
    repeat: "Passwort wiederholen",
    submit: "Passwort festlegen und anmelden",
    done: "Ihr Passwort ist festgelegt. Melden Sie sich damit an.",
  },
  recent: {
    title: "Bestätigen Sie, dass Sie es sind",
    why: "Dafür müssen Sie sich in den letzten zehn Minuten angemeldet haben.",
    submit: "Bestätigen",
    sso: "Mit Single Sign-on bestätigen",
  },
  window: {
    ready: "Es öffnet sich ein neues Fenster. Ihre Eingaben hier bleiben erhalten.",
    away: "Machen Sie im neuen Fenster weiter. Danach geht es hier automatisch weiter.",
    back: "Sie sind noch nicht fertig. Machen Sie im anderen Fenster weiter. Ist es geschlossen, öffnen Sie es erneut.",
    again: "Fenster erneut öffnen",
    blocked:
      "Ihr Browser hat das Fenster blockiert. Erlauben Sie dieser Website Pop-ups und versuchen Sie es erneut, oder machen Sie auf dieser Seite weiter. Ihre Eingaben hier gehen dann verloren.",
    here: "Auf dieser Seite weitermachen",
    doneTitle: "Fertig",
    done: "Sie können dieses Fenster schließen und im anderen weitermachen.",
  },
  errors: {
    sso: "Single Sign-on ist fehlgeschlagen. Versuchen Sie es erneut oder fragen Sie Ihren Administrator.",
    recovery:
      "Die Datenbank ist eine ältere Kopie, vielleicht aus einem Snapshot, oder es wurden Einträge daraus gelöscht. Niemand kann sich anmelden, bis ein Administrator auf dem Server keyward recover ausführt.",
  },
};
