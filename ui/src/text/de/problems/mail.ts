import type { Sentences } from "../../sentences";
import { errors } from "../mail";

/** Why a message could not be sent. */
export const mail: Sentences = {
  // As the list of messages has them. Written in each language: what two of them shared would be loaded with the pages.
  ...Object.fromEntries(Object.entries(errors).map(([reason, e]) => [`mail_failed/${reason}`, `${e.what} ${e.todo}`])),
  "conflict/mail_not_failed": "Nur eine fehlgeschlagene Nachricht lässt sich erneut senden.",
  "conflict/mail_not_set":
    "E-Mail ist nicht eingerichtet. Geben Sie zuerst Mailserver und Absender ein und speichern Sie.",
  "conflict/mail_off":
    "E-Mail ist ausgeschaltet. Schalten Sie E-Mail in den Einstellungen ein und senden Sie die Nachricht dann erneut.",
  "not_found/no_mail": "Diese Nachricht gibt es nicht.",
};
