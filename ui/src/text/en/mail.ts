/** Why a message does not go out, by the server's classes: what is wrong, and what to do about it. Problems say it, too. */
export const errors: Record<string, { what: string; todo: string }> = {
  name_not_resolved: {
    what: "The mail server's name can't be resolved.",
    todo: "Check the spelling, and DNS on the Keyward server.",
  },
  connect_failed: {
    what: "The mail server can't be reached.",
    todo: "Check its name and port, that it is running, and that no firewall blocks the connection.",
  },
  timeout: {
    what: "The mail server didn't respond in time.",
    todo: "It may be busy, or a firewall may be dropping the connection. Check that the port matches the encryption.",
  },
  connection_lost: {
    what: "The connection to the mail server was lost. It may have accepted the message.",
    todo: "If this keeps happening, check the mail server's log.",
  },
  tls_failed: {
    what: "Couldn't establish an encrypted connection: the certificate was not accepted, or this port does not use TLS.",
    todo: "Use the name in the server's certificate. If your own CA issued it, add that CA in the settings. TLS usually uses port 465, STARTTLS port 587.",
  },
  tls_refused: {
    what: "The mail server doesn't offer STARTTLS.",
    todo: "Turn it on there, or choose TLS, usually on port 465.",
  },
  tls_required: {
    what: "The mail server requires encryption.",
    todo: "Choose STARTTLS, or TLS, usually on port 465.",
  },
  helo_refused: {
    what: "The mail server refused the name by which Keyward introduces itself (EHLO).",
    todo: "Set SMTP_HELO_NAME on the Keyward server to a full host name that DNS has for it, such as keyward.example.org, and restart Keyward. Without it, the host of SITE_URL is used.",
  },
  auth_failed: {
    what: "The mail server did not accept the username and password.",
    todo: "Check both. Some providers require an app password.",
  },
  auth_needs_tls: {
    what: "The password was not sent because the connection is not encrypted.",
    todo: "Choose STARTTLS or TLS. If the network up to the server is safe, you can allow it.",
  },
  auth_required: {
    what: "The mail server requires signing in.",
    todo: "Enter a username and password.",
  },
  auth_not_offered: {
    what: "The mail server offers no way to sign in on this port.",
    todo: "Leave the username and password empty, or use the port and encryption with which it does, usually STARTTLS on port 587.",
  },
  auth_unsupported: {
    what: "The mail server offers no way to sign in that Keyward knows.",
    todo: "Turn on SCRAM-SHA-256, PLAIN, LOGIN, CRAM-MD5 or XOAUTH2 there.",
  },
  oauth_token_missing: {
    what: "The mail server only accepts an OAuth access token (XOAUTH2).",
    todo: "Have one written to a file that Keyward can read. On the Keyward server, set SMTP_OAUTH_TOKEN_FILE to that file and SMTP_OAUTH_HOST to the mail server.",
  },
  oauth_token_refused: {
    what: "The mail server did not accept the access token.",
    todo: "Check that the file in SMTP_OAUTH_TOKEN_FILE is kept up to date, and that the token belongs to the username and may send mail.",
  },
  temporarily_unavailable: {
    what: "The mail server has a temporary problem.",
    todo: "Try again in a few minutes. If it stays, check the mail server's log.",
  },
  sender_refused: {
    what: "The mail server did not accept the sender.",
    todo: "Enter an address that this account may send from. The mail server must relay mail from the Keyward server.",
  },
  recipient_refused: {
    what: "The mail server did not accept the recipient's address.",
    todo: "Check the spelling, and whether the mailbox still exists.",
  },
  mailbox_full: {
    what: "The recipient's mailbox is full.",
    todo: "It will accept messages again once there is space.",
  },
  greylisted: {
    what: "The mail server deferred the message.",
    todo: "Many do this with new senders and accept the message a few minutes later.",
  },
  too_large: {
    what: "The message is larger than the mail server accepts.",
    todo: "Raise its size limit.",
  },
  message_refused: {
    what: "The mail server did not accept the message.",
    todo: "Check its log. The usual cause is a spam filter or a limit.",
  },
};

/** Why a message did not go out that no mail server refused, by the server's classes. */
const drops: Record<string, { what: string; todo?: string }> = {
  link_expired: {
    what: "The invitation was used, replaced or expired before it was sent.",
    todo: "If it is still needed, invite the person again.",
  },
  unknown_person: {
    what: "It no longer applied to this person: the account, its role or its address had changed.",
  },
  not_tried: {
    what: "Keyward couldn't try to send it for a day: mail was turned off, or no server was running.",
    todo: "If it is still needed, send it again.",
  },
  outdated: {
    what: "It was waiting in a database that was restored, and may have been sent before.",
    todo: "You don't need to do anything.",
  },
};

/** What messages are about, by the server's kinds. One that is not here is shown by its name. */
const kinds: Record<string, string> = {
  account_locked: "Account locked",
  agent_paired: "New agent",
  agent_replaced: "Agent replaced",
  password_changed: "Password changed",
  password_reset: "Password reset",
  email_changed: "Email address changed",
  invitation: "Invitation",
  certificate_issued: "Certificate issued by someone else",
  certificate_revoked: "Certificate revoked by someone else",
  certificate_ending: "Certificate expires soon",
  certificate_ended: "Certificate expired",
  certificates_ending: "Certificates in the organization expire soon",
  token_assigned: "Token assigned",
  token_set_up: "Token set up by someone else",
  token_taken: "Token no longer yours",
  token_status: "Token status changed",
  token_unblocked: "PIN unblocked by someone else",
  token_reset: "Token reset",
  secrets_released: "Token secrets released to someone else",
  admin_added: "New global administrator",
  ca_changed: "Certificate authority changed",
  ca_ending: "Certificate authority needs a successor",
  backup_settings: "Backup settings changed",
  release_limit: "Secret release limit reached",
  backup_failed: "Backup or restore failed",
  backup_overdue: "Backup or trial restore overdue",
  drill_failed: "Trial restore failed",
  license_ending: "License expires soon",
  audit_seal_broken: "Audit log changed from outside",
  stores_disagree: "Database or vault is an older copy",
  digest: "Weekly summary",
};

/** When messages of a kind come, where its name does not say that. */
const hints: Record<string, string> = {
  certificate_ending: "30, 14, 7, 3 and 1 days before, unless it is renewed",
  certificates_ending: "One message a day at most, with all of them",
  ca_ending: "90 days before new certificates would become shorter",
  license_ending: "30, 14, 7, 3 and 1 days before (a trial: from 14 days), and when it has expired",
  digest: "On Mondays, only if something needs doing",
};

export const mail = {
  title: "Mail",
  tabs: { messages: "Messages", settings: "Settings" },
  errors,
  drops,
  kinds,
  reply: (reply: string) => `The server's reply: ${reply}`,
  first: {
    title: "Email is not set up",
    text: "Connect a mail server to email people when a certificate expires or someone changes their token or account. Until then, they only see it here.",
    action: "Set up email",
  },
  off: {
    title: "Mail is turned off",
    text: "People see notices only in Keyward. Waiting messages are dropped after a day.",
    action: "View settings",
  },
  standing: {
    title: "Mail is delayed",
    since: "began",
    next: "next attempt",
    waits: (n: string) => `${n} messages are waiting. Keyward keeps trying each message for a day.`,
    waitsOne: "1 message is waiting. Keyward keeps trying each message for a day.",
  },
  messages: {
    title: "Messages",
    kept: "Kept for 90 days.",
    search: "Search person or address",
    filter: "Status",
    status: { failed: "Failed", pending: "Pending", retrying: "Retrying", sent: "Sent", dropped: "Dropped" },
    columns: {
      message: "Message",
      to: "To",
      status: "Status",
      result: "Result",
      actions: "Actions",
    },
    sent: "sent",
    next: "next attempt",
    attempts: (n: number) => (n === 1 ? "1 attempt" : `${n} attempts`),
    retry: "Send again",
    retryOf: (kind: string, address: string) => `Send again: ${kind}, to ${address}`,
    retried: "Message queued.",
    empty: {
      title: "No messages yet",
      text: "Messages appear here once Keyward sends them.",
      noneTitle: "No matches",
      noneText: "Change your search or clear the filters.",
    },
  },
  settings: {
    intro:
      "Keyward sends messages through your mail server over SMTP. They never contain secrets. Only invitations contain a link that grants access.",
    server: "Server",
    enabled: "Send mail",
    enabledHint: "If off, people see notices only in Keyward.",
    host: "Server",
    hostMissing: "Enter the name of the mail server.",
    port: "Port",
    security: "Encryption",
    securities: { starttls: "STARTTLS", tls: "TLS", none: "None" },
    securityHints: {
      starttls: "Upgrades to TLS before anything is sent. Usually port 587.",
      tls: "Encrypted from the beginning. Usually port 465.",
      none: "Anyone on the network can read messages, including invitations. Only for a mail server on the Keyward server itself or in a network that you trust.",
    },
    username: "Username",
    usernameHint: "Leave empty if the server accepts messages without an account.",
    usernameMissing: "A password needs a username.",
    secret: {
      label: "Password",
      set: "A password is stored. It is never shown.",
      unset: "No password is stored.",
      replace: "Replace",
      add: "Set a password",
      drop: "Don't set one",
      remove: "Remove",
      keep: "Keep the stored one",
      removed: "The stored password will be removed when you save.",
      again: "You changed the server, account or encryption, so enter the password again.",
      fresh: "New password",
    },
    passwordMissing: "Enter the password.",
    insecureAuth: "Send the password unencrypted",
    insecureAuthHint: "Without encryption, anyone on the network can read it.",
    ca: "CA certificates",
    caHint:
      "In PEM form, if your own CA issued the server's certificate. Leave empty to use the CAs that the system trusts.",
    sender: "Sender",
    from: "From address",
    fromHint: "The account must be allowed to send from it.",
    fromMissing: "Enter the address that messages come from.",
    fromName: "Sender's name",
    language: "Language",
    languageHint: "For messages to people who haven't chosen a language.",
  },
  test: {
    title: "Test message",
    to: "To",
    action: "Send a test message",
    what: "Sent at once, with the saved settings.",
    saveFirst: "Save the settings first.",
    good: (to: string) => `The mail server accepted the message to ${to}.`,
    look: "Check that it arrives, and look in the spam folder.",
    bad: "The test message was not sent",
  },
  own: {
    title: "Notifications",
    intro: "The bell shows what happens to your tokens and your account. Choose here what also comes by email.",
    unavailable:
      "Mail is turned off, so you'll see notices only under the bell. Your choices apply once mail is turned on.",
    address: "Goes to",
    noAddress: "Your account has no email address that Keyward can write to, so you won't get any email.",
    addAddress: "Add an email address under People",
    askAddress: "Ask an administrator to add one.",
    language: "Language of the messages",
    fails: "Email to your address isn't getting through",
    failsText: "Tell your administrator if the address is wrong. The bell shows what happens meanwhile.",
    since: "Noticed",
    choose: "You choose",
    always: "Always, for your security",
    hints,
  },
};
