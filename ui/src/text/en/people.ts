export const people = {
  title: "People",
  list: "Accounts",
  add: "Add person",
  filter: {
    search: "Search name, username or email",
    role: "Role",
    state: "Status",
    never: "Never signed in",
    organization: "Organization",
    tokens: "Tokens",
    noToken: "Without a token",
    someToken: "With a token",
    ending: (days: number) => `Certificate expires within ${days} days`,
  },
  columns: {
    person: "Person",
    email: "Email",
    role: "Role",
    organization: "Organization",
    tokens: "Tokens",
    state: "Status",
    lastLogin: "Last sign-in",
    added: "Added",
  },
  states: {
    active: "Active",
    disabled: "Disabled",
    locked: "Locked",
    mustChange: "Must change password",
    waiting: "Invited",
    mailFails: "Email fails",
    recovery: "Disabled by a restore",
  },
  select: { page: "Select all on this page", one: (name: string) => `Select ${name}` },
  enable: {
    region: "With the selected accounts",
    selected: (n: string) => `${n} selected`,
    clear: "Clear the selection",
    all: "Select all matches",
    action: "Enable",
    title: (n: number, count: string) => (n === 1 ? "Enable 1 account?" : `Enable ${count} accounts?`),
    text: "They can sign in again at once, with the same role and password as before. The audit log records each one.",
    powerful: (n: number) =>
      n === 1
        ? "One of them manages other people's accounts and tokens:"
        : `${n} of them manage other people's accounts and tokens:`,
    done: (n: number, count: string) => (n === 1 ? "1 account enabled" : `${count} accounts enabled`),
  },
  mail: {
    title: "Email to this address fails",
    until: "If the address is wrong, correct it.",
    since: "Noticed",
  },
  neverSignedIn: "never",
  noOrganization: "no organization",
  empty: {
    title: "No people yet",
    text: "Add the people who use tokens. Each gets an account to sign in with.",
    noneTitle: "No matches",
    noneText: "Change your search or clear the filters.",
  },
  pick: { nothing: "No matches" },
  fields: {
    username: "Username",
    name: "Name",
    usernameHint: "Letters, digits, dots, dashes and underscores, or the person's own email.",
    email: "Email",
    emailHint: "May appear in certificates.",
    upn: "UPN",
    upnHint: "In a certificate, it decides whom Windows and Kerberos sign in: name@example.org.",
    sid: "SID",
    sidHint: "Of the Windows account: S-1-5-21-…",
    globalOnly: "Only a global administrator can change this.",
    role: "Role",
    organization: "Organization",
    password: "Password",
  },
  roleHints: {
    global_admin: "Everything, in every organization.",
    org_manager: "People and tokens of one organization.",
    user: "Their own tokens only.",
  },
  create: {
    title: "Add person",
    submit: "Add",
    invite: "Invite",
    invited:
      "The person gets a link by email, if that is set up, and you get it to pass on. They use it to set a password. The link is valid for 24 hours.",
    generate: "Generate",
    type: "Enter",
    generated: "You'll see the random password only once.",
    mustChange: "Require a new password at first sign-in",
    done: (name: string) => `${name} can sign in now`,
  },
  importing: {
    title: "Import people",
    what: "A CSV file with one person per line, with commas or semicolons. The first line names the columns, in any order. Only email is required: without a username, the email is the username. Organizations are given by name and must exist. upn and sid are the names of the Windows account; only a global administrator can set a SID, or a UPN outside the organization's UPN suffixes.",
    limit: "CSV in UTF-8, up to 8 MiB and 5,000 people.",
    checking: "Checking every line. Nobody is added yet.",
    preview: "Preview",
    result: "Result",
    dry: "Nobody has been added yet.",
    mend: (n: number) =>
      n === 1
        ? "Nobody has been added yet. 1 line has errors: correct it and choose the file again, or skip it."
        : `Nobody has been added yet. ${n} lines have errors: correct them and choose the file again, or skip them.`,
    skip: (n: number) => (n === 1 ? "Skip the line with errors" : `Skip the ${n} lines with errors`),
    invite: "Invite them",
    inviteText:
      "Everyone gets a link to set a password, by email if that is set up. You get the links too. They are valid for 24 hours.",
    submit: (n: number) => (n === 0 ? "Nobody to add" : n === 1 ? "Add 1 person" : `Add ${n} people`),
    progress: "Progress",
    madeOf: (n: number, all: number) => `${n} of ${all} added`,
    done: (n: number) => (n === 1 ? "1 person added" : `${n} people added`),
    mailed:
      "The invitations are sent by email. If one doesn't arrive, share its link securely. You won't see the links again.",
    unmailed:
      "Some invitations aren't sent by email. Share the links securely within 24 hours. You won't see them again.",
    links: "Save links",
    table: "Results by line",
    none: "The file contains no people.",
    line: "Line",
    errors: "Errors",
    results: { new: "New", created: "Added", unchanged: "Already there", failed: "Failed", left: "Not added yet" },
  },
  invite: {
    action: "Invite",
    title: (name: string) => `Invitation for ${name}`,
    label: "Link",
    said: (address: string | null) =>
      (address ? `It is sent to ${address}. If it doesn't arrive, share it` : "Share it") +
      " securely: anyone who opens it can set the password. It works once, within 24 hours, and you won't see it again. Earlier links no longer work.",
  },
  once: {
    label: "Password",
    text: "Share it securely. You won't see it again after closing this window.",
    mustChange: "It must be changed at the next sign-in.",
    close: "I have saved it",
  },
  details: {
    saved: "Saved",
    ownRole: "You can't change your own role. Ask another administrator.",
    globalNoOrganization: "A global administrator belongs to no organization.",
    tokensFollow: "Their tokens move too.",
    usernameFollows: "The username is this email, so it changes too.",
    managerNeedsOne: "An organization manager needs an organization.",
  },
  former: {
    title: "What about the certificates?",
    text: (n: number) =>
      n === 1
        ? "One valid certificate has the person's current name."
        : `${n} valid certificates have the person's current name.`,
    revoke: "Revoke",
    revokeText: "They go on the revocation list. The person needs new ones.",
    keep: "Keep",
    keepText: "They stay valid with the previous name until they expire.",
    reserved: "Either way, nobody else can get the previous name until the last of these certificates expires.",
    submit: "Change name",
  },
  facts: {
    signsIn: "Signs in",
    local: "with a password",
    oidc: "with single sign-on",
    lastLogin: "Last sign-in",
    created: "Added",
    locked: "Locked until",
  },
  access: {
    disable: "Disable",
    enable: "Enable",
    unlock: "Unlock",
    reset: "Reset password",
    ownDisable: "You can't disable your own account. Ask another administrator.",
    ownReset: "This is your own account. Change its password in your profile.",
    oidcReset: "This account signs in at the identity provider. Reset the password there.",
    enabled: (name: string) => `${name} can sign in again`,
    unlocked: (name: string) => `${name} is unlocked`,
    resetTitle: (name: string) => `Reset the password of ${name}?`,
    resetText: "You'll see the new random password only once. All their sessions end, and any lockout is lifted.",
    resetDone: (name: string) => `New password for ${name}`,
  },
  leave: {
    title: (name: string) => `Disable ${name}?`,
    text: "They can't sign in until you enable the account again.",
    action: "Disable",
    laterTitle: (name: string) => `Suspend tokens or revoke certificates of ${name}?`,
    both: "Suspend and revoke",
    suspendOnly: "Suspend",
    revokeOnly: "Revoke",
    left: (tokens: number, certificates: number) =>
      `This account is disabled, but it still has ${[
        tokens === 0 ? "" : tokens === 1 ? "1 token in use" : `${tokens} tokens in use`,
        certificates === 0 ? "" : certificates === 1 ? "1 valid certificate" : `${certificates} valid certificates`,
      ]
        .filter(Boolean)
        .join(" and ")}.`,
    sessions: (n: number) =>
      n === 0 ? "They aren't signed in anywhere." : n === 1 ? "1 session ends at once." : `${n} sessions end at once.`,
    keys: (n: number) =>
      n === 1
        ? "1 API key they created stops working while the account is disabled."
        : `${n} API keys they created stop working while the account is disabled.`,
    suspend: (n: number) => (n === 1 ? "Suspend their token" : `Suspend their ${n} tokens in use`),
    suspendText: "A suspended token can't get new certificates. You can reactivate it.",
    revoke: (n: number) => (n === 1 ? "Revoke their certificate" : `Revoke their ${n} certificates`),
    revokeText: "For people who leave for good. The certificates go on the revocation list. You can't undo this.",
    expires: (date: string) => `expires ${date}`,
    nothing: "They have no tokens in use and no valid certificates.",
    done: (name: string, tokens: number, certificates: number) =>
      [
        `${name} is disabled`,
        tokens === 0 ? "" : tokens === 1 ? "1 token suspended" : `${tokens} tokens suspended`,
        certificates === 0 ? "" : certificates === 1 ? "1 certificate revoked" : `${certificates} certificates revoked`,
      ]
        .filter(Boolean)
        .join(", "),
    unpublished: (n: number) =>
      n === 1
        ? "1 certificate is revoked but not on the revocation list yet, because the vault didn't accept it. The server keeps trying."
        : `${n} certificates are revoked but not on the revocation list yet, because the vault didn't accept them. The server keeps trying.`,
  },
  sessions: {
    title: "Sessions",
    none: "Not signed in anywhere.",
    end: "End",
    endOf: (where: string) => `End the session on ${where}`,
    ended: "Session ended",
    current: "this one",
    since: "signed in",
    agent: "agent registered",
    unknownBrowser: "Unknown program",
  },
  organizations: {
    title: "Organizations",
    list: "Organizations",
    add: "Add organization",
    search: "Search name",
    columns: { name: "Name", leads: "View", state: "Status", domains: "Email domains", created: "Added" },
    anyDomain: "any",
    people: "People",
    tokens: "Tokens",
    peopleOf: (name: string) => `People in ${name}`,
    tokensOf: (name: string) => `Tokens in ${name}`,
    edit: "Edit",
    editOf: (name: string) => `Edit ${name}`,
    name: "Name",
    domains: "Email domains",
    domainsHint: "Members' emails must use one of these domains. Enter a domain such as example.org and press Enter.",
    domainsPlaceholder: "any domain",
    suffixes: "UPN suffixes",
    suffixesHint:
      "Managers can give members UPNs that end in one of these, such as corp.example.org. Other UPNs are set by global administrators.",
    suffixesPlaceholder: "none",
    realm: "Kerberos realm",
    realmHint:
      "The realm of the members' Kerberos principals, in the right case: CORP.EXAMPLE.ORG. Leave empty to use the server's.",
    created: (name: string) => `${name} added`,
    saved: "Saved",
    disable: "Disable",
    enable: "Enable",
    disableTitle: (name: string) => `Disable ${name}?`,
    disableText:
      "All its members are signed out at once and can't sign in until you enable it again. Its tokens and certificates don't change.",
    disabled: (name: string) => `${name} is disabled`,
    enabled: (name: string) => `Members of ${name} can sign in again`,
    empty: {
      noneText: "Change your search or clear the filters.",
      title: "No organizations yet",
      text: "Organizations separate people and tokens, and can have their own managers.",
    },
  },
};
