import type { Catalogue } from "../en";

export const login: Catalogue["login"] = {
  title: "Anmelden",
  adminTitle: "Anmeldung für Administratoren",
  username: "Benutzername oder E-Mail",
  password: "Passwort",
  submit: "Anmelden",
  sso: (name) => `Anmelden mit ${name}`,
  or: "oder",
  localOff: "Die Anmeldung mit Passwort ist abgeschaltet. Nutzen Sie Single Sign-on.",
  ended: {
    title: "Ihre Sitzung ist beendet",
    expired: "Die erlaubte Dauer ist um. Melden Sie sich wieder an: Ihre Arbeit ist noch hier.",
    elsewhere: "Sie haben sich in einem anderen Tab abgemeldet. Melden Sie sich wieder an: Ihre Arbeit ist noch hier.",
    other: "Jemand anderes hat sich angemeldet, daher beginnt diese Seite neu.",
  },
  stillIn: "Sie sind noch angemeldet. Melden Sie sich erneut ab.",
  change: {
    title: "Neues Passwort wählen",
    why: "Ihr Passwort muss geändert werden, bevor Sie sich anmelden können.",
    current: "Bisheriges Passwort",
    next: "Neues Passwort",
    repeat: "Neues Passwort, noch einmal",
    mismatch: "Die beiden stimmen nicht überein.",
    submit: "Ändern und anmelden",
    accepted: "Ihr neues Passwort gilt. Melden Sie sich damit an.",
    length: (min, max) => `${min} bis ${max} Zeichen`,
    uppercase: "ein Großbuchstabe",
    lowercase: "ein Kleinbuchstabe",
    digit: "eine Ziffer",
    symbol: "ein Sonderzeichen",
    common: "kein häufiges Passwort und nicht Ihr Name oder Ihre E-Mail",
  },
  recent: {
    title: "Bestätigen Sie, dass Sie es sind",
    why: "Diese Aktion verlangt eine Anmeldung in den letzten zehn Minuten.",
    submit: "Bestätigen",
    sso: "Mit Single Sign-on bestätigen",
  },
  errors: {
    sso: "Single Sign-on wurde nicht abgeschlossen. Versuchen Sie es erneut oder fragen Sie Ihren Administrator.",
  },
};
