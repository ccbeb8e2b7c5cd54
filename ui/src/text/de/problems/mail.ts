import type { Sentences } from "../../sentences";

/** Why a message could not be sent. */
export const mail: Sentences = {
  "conflict/mail_not_failed": "Nur eine gescheiterte Nachricht lässt sich noch einmal senden.",
  "conflict/mail_not_set":
    "Mail ist nicht eingerichtet. Geben Sie zuerst Mailserver und Absender an, und speichern Sie.",
  "mail_failed/auth_failed":
    "Der Mailserver hat Benutzername und Passwort nicht angenommen. Geben Sie beide neu ein; manche Anbieter verlangen ein Passwort nur für Programme.",
  "mail_failed/auth_needs_tls":
    "Das Passwort ginge unverschlüsselt über das Netz. Wählen Sie als Verschlüsselung starttls oder tls.",
  "mail_failed/connect_failed": "Der Mailserver ist nicht zu erreichen. Prüfen Sie Host und Port, und die Firewall.",
  "mail_failed/connection_lost":
    "Der Mailserver hat die Verbindung ohne Antwort beendet. Vielleicht ist die Nachricht gesendet. Prüfen Sie Port und Verschlüsselung, und sein Log.",
  "mail_failed/greylisted":
    "Der Mailserver nimmt für diesen Empfänger noch nichts an. Viele tun das bei der ersten Nachricht: Versuchen Sie es in einigen Minuten noch einmal.",
  "mail_failed/mailbox_full":
    "Das Postfach des Empfängers ist voll. Die Einstellungen stimmen; versuchen Sie eine andere Adresse.",
  "mail_failed/message_refused":
    "Der Mailserver hat die Nachricht selbst abgelehnt. Warum, steht in seinem Log: meist ein Filter.",
  "mail_failed/name_not_resolved":
    "Der Name des Mailservers lässt sich nicht auflösen. Prüfen Sie den Host, und das DNS auf dem Rechner des Servers.",
  "mail_failed/recipient_refused":
    "Der Mailserver nimmt für diesen Empfänger nichts an. Prüfen Sie die Adresse, und ob er an ihre Domain senden darf.",
  "mail_failed/sender_refused":
    "Der Mailserver nimmt nach seinen Regeln von diesem Absender nichts an. Prüfen Sie die Absenderadresse, ob der Benutzername mit ihr senden darf, und ob der Server Mails von diesem Rechner weiterleitet (Relay).",
  "mail_failed/timeout":
    "Der Mailserver hat nicht rechtzeitig geantwortet. Prüfen Sie Host und Port, ob Port und Verschlüsselung zusammenpassen, und die Firewall.",
  "mail_failed/tls_failed":
    "Dem TLS des Mailservers wird nicht vertraut, oder es kam nicht zustande. Prüfen Sie, ob der Host der Name in seinem Zertifikat ist, ob es noch gilt, ob seine CA in ca_pem steht, wenn es Ihre eigene ist, und ob Port und Verschlüsselung zusammenpassen.",
  "mail_failed/tls_refused":
    "Der Mailserver bietet kein STARTTLS an. Nehmen Sie seinen Port für TLS (meist 465) mit der Verschlüsselung tls, oder lassen Sie dort STARTTLS einschalten.",
  "not_found/no_mail": "Diese Nachricht gibt es nicht.",
};
