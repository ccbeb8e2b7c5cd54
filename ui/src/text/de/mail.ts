import type { Catalogue } from "../en";

export const errors: Catalogue["mail"]["errors"] = {
  name_not_resolved: {
    what: "Der Name des Mailservers lässt sich nicht auflösen.",
    todo: "Prüfen Sie die Schreibweise und das DNS auf dem Server von Keyward.",
  },
  connect_failed: {
    what: "Der Mailserver ist nicht zu erreichen.",
    todo: "Prüfen Sie seinen Namen und Port, ob er läuft und ob keine Firewall dazwischen steht.",
  },
  timeout: {
    what: "Der Mailserver hat nicht rechtzeitig geantwortet.",
    todo: "Vielleicht ist er überlastet, oder eine Firewall verwirft die Verbindung. Prüfen Sie, ob der Port zur Verschlüsselung passt.",
  },
  connection_lost: {
    what: "Die Verbindung zum Mailserver wurde unterbrochen. Vielleicht hat er die Nachricht angenommen.",
    todo: "Passiert das immer wieder, sehen Sie im Log des Mailservers nach.",
  },
  tls_failed: {
    what: "Es kam keine verschlüsselte Verbindung zustande: Das Zertifikat wurde nicht akzeptiert, oder dieser Port verwendet kein TLS.",
    todo: "Geben Sie den Namen an, der im Zertifikat des Servers steht. Stammt es von einer eigenen CA, tragen Sie diese in den Einstellungen ein. TLS hat meist Port 465, STARTTLS Port 587.",
  },
  tls_refused: {
    what: "Der Mailserver bietet kein STARTTLS an.",
    todo: "Schalten Sie es dort ein, oder wählen Sie TLS, meist mit Port 465.",
  },
  tls_required: {
    what: "Der Mailserver verlangt Verschlüsselung.",
    todo: "Wählen Sie STARTTLS oder TLS, meist mit Port 465.",
  },
  helo_refused: {
    what: "Der Mailserver hat den Namen abgelehnt, mit dem sich Keyward bei ihm meldet (EHLO).",
    todo: "Setzen Sie auf dem Server von Keyward SMTP_HELO_NAME auf einen vollständigen Hostnamen, den das DNS für ihn kennt, etwa keyward.example.org, und starten Sie Keyward neu. Ohne diese Einstellung gilt der Host aus SITE_URL.",
  },
  auth_failed: {
    what: "Der Mailserver hat Benutzername oder Passwort nicht akzeptiert.",
    todo: "Prüfen Sie beides. Manche Anbieter verlangen ein App-Passwort.",
  },
  auth_needs_tls: {
    what: "Das Passwort wurde nicht gesendet, weil die Verbindung nicht verschlüsselt ist.",
    todo: "Wählen Sie STARTTLS oder TLS. Ist das Netz bis zum Server sicher, können Sie es erlauben.",
  },
  auth_required: {
    what: "Der Mailserver verlangt eine Anmeldung.",
    todo: "Geben Sie Benutzername und Passwort ein.",
  },
  auth_not_offered: {
    what: "Der Mailserver bietet auf diesem Port keine Anmeldung an.",
    todo: "Lassen Sie Benutzername und Passwort leer, oder verwenden Sie den Port und die Verschlüsselung, mit denen er sie anbietet, meist STARTTLS mit Port 587.",
  },
  auth_unsupported: {
    what: "Der Mailserver bietet kein Anmeldeverfahren an, das Keyward kennt.",
    todo: "Schalten Sie dort SCRAM-SHA-256, PLAIN, LOGIN, CRAM-MD5 oder XOAUTH2 ein.",
  },
  oauth_token_missing: {
    what: "Der Mailserver akzeptiert nur ein Zugriffstoken (OAuth, XOAUTH2).",
    todo: "Lassen Sie eines in eine Datei schreiben, die Keyward lesen darf. Setzen Sie auf dem Server von Keyward SMTP_OAUTH_TOKEN_FILE auf diese Datei und SMTP_OAUTH_HOST auf den Mailserver.",
  },
  oauth_token_refused: {
    what: "Der Mailserver hat das Zugriffstoken nicht akzeptiert.",
    todo: "Prüfen Sie, ob die Datei aus SMTP_OAUTH_TOKEN_FILE laufend erneuert wird und ob das Token zum Benutzernamen gehört und zum Senden berechtigt.",
  },
  temporarily_unavailable: {
    what: "Der Mailserver hat ein vorübergehendes Problem.",
    todo: "Versuchen Sie es in einigen Minuten erneut. Bleibt es dabei, sehen Sie in seinem Log nach.",
  },
  sender_refused: {
    what: "Der Mailserver hat den Absender nicht akzeptiert.",
    todo: "Geben Sie eine Adresse ein, von der dieses Konto senden darf. Der Mailserver muss E-Mails vom Server von Keyward weiterleiten (Relay).",
  },
  recipient_refused: {
    what: "Der Mailserver hat die Adresse des Empfängers nicht akzeptiert.",
    todo: "Prüfen Sie, ob sie richtig geschrieben ist und ob es das Postfach noch gibt.",
  },
  mailbox_full: {
    what: "Das Postfach des Empfängers ist voll.",
    todo: "Sobald wieder Platz ist, nimmt es wieder Nachrichten an.",
  },
  greylisted: {
    what: "Der Mailserver hat die Nachricht zurückgestellt.",
    todo: "Viele machen das bei neuen Absendern und nehmen die Nachricht einige Minuten später an.",
  },
  too_large: {
    what: "Die Nachricht ist größer, als der Mailserver erlaubt.",
    todo: "Erhöhen Sie dort die Größenbeschränkung.",
  },
  message_refused: {
    what: "Der Mailserver hat die Nachricht nicht angenommen.",
    todo: "Sehen Sie in seinem Log nach. Meist liegt es an einem Spamfilter oder einer Obergrenze.",
  },
};

const drops: Catalogue["mail"]["drops"] = {
  link_expired: {
    what: "Die Einladung wurde benutzt, ersetzt oder ist abgelaufen, bevor sie gesendet wurde.",
    todo: "Wird sie noch gebraucht, laden Sie die Person erneut ein.",
  },
  unknown_person: {
    what: "Sie war nicht mehr für diese Person bestimmt: Konto, Rolle oder Adresse hatten sich geändert.",
  },
  not_tried: {
    what: "Einen Tag lang wurde nicht versucht, sie zu senden: E-Mail war ausgeschaltet, oder es lief kein Server.",
    todo: "Wird sie noch gebraucht, senden Sie sie erneut.",
  },
  outdated: {
    what: "Sie wartete in einer Datenbank, die wiederhergestellt wurde, und wurde vielleicht schon gesendet.",
    todo: "Es ist nichts zu tun.",
  },
};

const kinds: Catalogue["mail"]["kinds"] = {
  account_locked: "Konto gesperrt",
  agent_paired: "Neuer Agent",
  agent_replaced: "Agent ersetzt",
  password_changed: "Passwort geändert",
  password_reset: "Passwort zurückgesetzt",
  email_changed: "E-Mail-Adresse geändert",
  invitation: "Einladung",
  certificate_issued: "Zertifikat von jemand anderem ausgestellt",
  certificate_revoked: "Zertifikat von jemand anderem widerrufen",
  certificate_ending: "Zertifikat läuft bald ab",
  certificate_ended: "Zertifikat abgelaufen",
  certificates_ending: "Zertifikate in der Organisation laufen bald ab",
  token_assigned: "Token zugewiesen",
  token_set_up: "Token von jemand anderem eingerichtet",
  token_taken: "Token gehört Ihnen nicht mehr",
  token_status: "Status des Tokens geändert",
  token_unblocked: "PIN von jemand anderem entsperrt",
  token_reset: "Token zurückgesetzt",
  secrets_released: "Geheimnisse eines Tokens an jemand anderen herausgegeben",
  admin_added: "Neuer globaler Administrator",
  ca_changed: "Zertifizierungsstelle geändert",
  ca_ending: "Zertifizierungsstelle braucht eine Nachfolgerin",
  backup_settings: "Einstellungen der Sicherungen geändert",
  release_limit: "Obergrenze für Herausgaben erreicht",
  backup_failed: "Sicherung oder Wiederherstellung fehlgeschlagen",
  backup_overdue: "Sicherung oder Testwiederherstellung überfällig",
  drill_failed: "Testwiederherstellung fehlgeschlagen",
  license_ending: "Lizenz läuft bald ab",
  audit_seal_broken: "Protokoll von außen verändert",
  stores_disagree: "Datenbank oder Tresor ist eine ältere Kopie",
  digest: "Wöchentliche Übersicht",
};

const hints: Catalogue["mail"]["own"]["hints"] = {
  certificate_ending: "30, 14, 7, 3 Tage und 1 Tag vorher, wenn es nicht erneuert wird",
  certificates_ending: "Höchstens eine Nachricht am Tag, für alle zusammen",
  ca_ending: "90 Tage, bevor neue Zertifikate kürzer gültig wären",
  license_ending: "30, 14, 7, 3 Tage und 1 Tag vorher (Testphase: ab 14 Tagen), und wenn sie abgelaufen ist",
  digest: "Montags, nur wenn etwas zu tun ist",
};

export const mail: Catalogue["mail"] = {
  title: "E-Mail",
  tabs: { messages: "Nachrichten", settings: "Einstellungen" },
  errors,
  drops,
  kinds,
  reply: (reply) => `Antwort des Servers: ${reply}`,
  first: {
    title: "E-Mail ist nicht eingerichtet",
    text: "Verbinden Sie einen Mailserver, damit alle auch per E-Mail erfahren, wenn ein Zertifikat abläuft oder jemand ihren Token oder ihr Konto ändert. Bis dahin sehen sie es nur hier.",
    action: "E-Mail einrichten",
  },
  off: {
    title: "E-Mail ist ausgeschaltet",
    text: "Benachrichtigungen sind nur in Keyward zu sehen. Wartende Nachrichten werden nach einem Tag verworfen.",
    action: "Einstellungen ansehen",
  },
  standing: {
    title: "E-Mails verzögern sich",
    since: "begann",
    next: "nächster Versuch",
    waits: (n) => `${n} Nachrichten warten. Keyward versucht jede einen Tag lang zu senden.`,
    waitsOne: "1 Nachricht wartet. Keyward versucht jede einen Tag lang zu senden.",
  },
  messages: {
    title: "Nachrichten",
    kept: "Werden 90 Tage aufbewahrt.",
    search: "Person oder Adresse suchen",
    filter: "Status",
    status: {
      failed: "Fehlgeschlagen",
      pending: "Ausstehend",
      retrying: "Wird wiederholt",
      sent: "Gesendet",
      dropped: "Entfallen",
    },
    columns: {
      message: "Nachricht",
      to: "An",
      status: "Status",
      result: "Ergebnis",
      actions: "Aktionen",
    },
    sent: "gesendet",
    next: "nächster Versuch",
    attempts: (n) => (n === 1 ? "1 Versuch" : `${n} Versuche`),
    retry: "Erneut senden",
    retryOf: (kind, address) => `Erneut senden: ${kind}, an ${address}`,
    retried: "Zum erneuten Senden vorgemerkt.",
    empty: {
      title: "Noch keine Nachrichten",
      text: "Sobald Keyward Nachrichten sendet, sehen Sie sie hier.",
      noneTitle: "Keine Treffer",
      noneText: "Ändern Sie die Suche oder löschen Sie die Filter.",
    },
  },
  settings: {
    intro:
      "Keyward sendet Nachrichten per SMTP über Ihren Mailserver. Sie enthalten nie Geheimnisse. Nur Einladungen enthalten einen Link, der Zugang gewährt.",
    server: "Server",
    enabled: "E-Mails senden",
    enabledHint: "Ausgeschaltet: Benachrichtigungen sind nur in Keyward zu sehen.",
    host: "Server",
    hostMissing: "Geben Sie den Namen des Mailservers ein.",
    port: "Port",
    security: "Verschlüsselung",
    securities: { starttls: "STARTTLS", tls: "TLS", none: "Keine" },
    securityHints: {
      starttls: "Wechselt zu TLS, bevor etwas gesendet wird. Meist Port 587.",
      tls: "Von Anfang an verschlüsselt. Meist Port 465.",
      none: "Jeder im Netz kann Nachrichten lesen, auch Einladungen. Nur für einen Mailserver auf dem Server von Keyward selbst oder in einem Netz, dem Sie vertrauen.",
    },
    username: "Benutzername",
    usernameHint: "Leer: Der Server nimmt Nachrichten ohne Konto an.",
    usernameMissing: "Ein Passwort braucht einen Benutzernamen.",
    secret: {
      label: "Passwort",
      set: "Ein Passwort ist gespeichert. Es wird nie angezeigt.",
      unset: "Kein Passwort gespeichert.",
      replace: "Ersetzen",
      add: "Passwort festlegen",
      drop: "Keines festlegen",
      remove: "Entfernen",
      keep: "Gespeichertes behalten",
      removed: "Das gespeicherte Passwort wird beim Speichern entfernt.",
      again:
        "Sie haben den Server, das Konto oder die Verschlüsselung geändert. Geben Sie das Passwort deshalb neu ein.",
      fresh: "Neues Passwort",
    },
    passwordMissing: "Geben Sie das Passwort ein.",
    insecureAuth: "Passwort unverschlüsselt senden",
    insecureAuthHint: "Ohne Verschlüsselung kann es jeder im Netz lesen.",
    ca: "CA-Zertifikate",
    caHint:
      "Im PEM-Format, wenn das Zertifikat des Servers von einer eigenen CA stammt. Leer: die CAs, denen das System vertraut.",
    sender: "Absender",
    from: "Absenderadresse",
    fromHint: "Das Konto muss mit dieser Adresse senden dürfen.",
    fromMissing: "Geben Sie die Adresse ein, von der die Nachrichten kommen.",
    fromName: "Name des Absenders",
    language: "Sprache",
    languageHint: "Für Nachrichten an Personen, die keine Sprache gewählt haben.",
  },
  test: {
    title: "Testnachricht",
    to: "An",
    action: "Testnachricht senden",
    what: "Wird sofort mit den gespeicherten Einstellungen gesendet.",
    saveFirst: "Speichern Sie die Einstellungen zuerst.",
    good: (to) => `Der Mailserver hat die Nachricht an ${to} angenommen.`,
    look: "Prüfen Sie, ob sie ankommt, auch im Spam-Ordner.",
    bad: "Die Testnachricht wurde nicht gesendet",
  },
  own: {
    title: "Benachrichtigungen",
    intro:
      "Die Glocke zeigt, was mit Ihren Token und Ihrem Konto geschieht. Wählen Sie hier, was Sie zusätzlich per E-Mail bekommen.",
    unavailable:
      "E-Mail ist ausgeschaltet: Sie sehen alles nur unter der Glocke. Ihre Auswahl gilt, sobald E-Mail eingeschaltet ist.",
    address: "Geht an",
    noAddress: "Ihr Konto hat keine E-Mail-Adresse, an die Keyward schreiben kann, daher bekommen Sie keine E-Mails.",
    addAddress: "E-Mail-Adresse unter „Personen“ eintragen",
    askAddress: "Bitten Sie Ihren Administrator, eine einzutragen.",
    language: "Sprache der Nachrichten",
    fails: "E-Mails an Ihre Adresse kommen nicht an",
    failsText:
      "Ist die Adresse falsch, wenden Sie sich an Ihren Administrator. Bis dahin zeigt die Glocke, was geschieht.",
    since: "Bemerkt",
    choose: "Sie wählen",
    always: "Immer, zu Ihrer Sicherheit",
    hints,
  },
};
