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
    expired:
      "Sie ist abgelaufen, oder Sie oder jemand aus der Verwaltung hat sie beendet. Melden Sie sich wieder an, um weiterzumachen.",
    elsewhere: "Sie haben sich in einem anderen Tab abgemeldet. Melden Sie sich wieder an, um weiterzumachen.",
    other: "Jemand anderes hat sich angemeldet, daher beginnt diese Seite neu.",
  },
  stillIn: "Sie sind noch angemeldet. Melden Sie sich erneut ab.",
  change: {
    title: "Neues Passwort wählen",
    why: "Ihr Passwort muss geändert werden, bevor Sie sich anmelden können.",
    current: "Bisheriges Passwort",
    next: "Neues Passwort",
    repeat: "Neues Passwort wiederholen",
    mismatch: "Die Passwörter stimmen nicht überein.",
    submit: "Ändern und anmelden",
    accepted: "Ihr neues Passwort gilt. Melden Sie sich damit an.",
    length: (min, max) => `${min} bis ${max} Zeichen`,
    uppercase: "ein Großbuchstabe",
    lowercase: "ein Kleinbuchstabe",
    digit: "eine Ziffer",
    symbol: "ein Sonderzeichen",
    common: "kein häufiges Passwort und nicht Ihr Name oder Ihre E-Mail",
  },
  invitation: {
    title: "Wählen Sie Ihr Passwort",
    why: "Sie sind eingeladen. Wählen Sie das Passwort, mit dem Sie sich anmelden werden.",
    none: "Dieser Link ist unvollständig. Öffnen Sie den ganzen Link, den Sie erhalten haben.",
    next: "Passwort",
    repeat: "Passwort wiederholen",
    submit: "Passwort setzen",
    done: "Ihr Passwort gilt. Melden Sie sich damit an.",
  },
  recent: {
    title: "Bestätigen Sie, dass Sie es sind",
    why: "Sie müssen sich in den letzten zehn Minuten angemeldet haben.",
    submit: "Bestätigen",
    sso: "Mit Single Sign-on bestätigen",
  },
  window: {
    ready: "Es öffnet sich ein Fenster. Ihre Arbeit bleibt hier.",
    away: "Machen Sie in dem Fenster weiter, das sich geöffnet hat. Danach geht es hier von selbst weiter.",
    back: "Das ist noch nicht abgeschlossen. Machen Sie im anderen Fenster weiter oder öffnen Sie es erneut, wenn es geschlossen ist.",
    again: "Fenster erneut öffnen",
    blocked:
      "Ihr Browser hat das Fenster nicht geöffnet. Erlauben Sie dieser Website Pop-ups und versuchen Sie es erneut, oder machen Sie auf dieser Seite weiter: Ihre Eingaben hier gehen dann verloren.",
    here: "Auf dieser Seite weitermachen",
    doneTitle: "Fertig",
    done: "Sie können dieses Fenster schließen und im anderen weitermachen.",
  },
  errors: {
    sso: "Single Sign-on wurde nicht abgeschlossen. Versuchen Sie es erneut oder fragen Sie Ihre Verwaltung.",
    recovery:
      "Die Datenbank ist eine ältere Kopie, vielleicht aus einem Snapshot, oder es wurden Einträge daraus gelöscht. Niemand kann sich anmelden, bis jemand aus der Verwaltung auf dem Computer des Servers keyward recover ausführt.",
  },
};
