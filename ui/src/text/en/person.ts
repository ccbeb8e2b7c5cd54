const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

/** A person's page, and an organization's. */
export const person = {
  edit: "Edit",
  editOf: (name: string) => `Edit ${name}`,
  missing: "Person not found",
  missingText: "There is nothing at this address, or you can't see it.",
  account: "Details",
  anyLanguage: "the browser's",
  history: "History",
  noHistory: "The audit log has no entries yet.",
  audit: "View in the audit log",
  tokens: { title: "Tokens", all: "Show all", none: "No tokens yet." },
  certificates: {
    title: "Certificates",
    all: "Show all",
    none: "No certificates yet.",
    noneLive: "None of the certificates is valid now.",
  },
  assign: {
    action: "Assign token",
    title: (name: string) => `Assign a token to ${name}`,
    token: "Token",
    tokenHint: "Tokens in stock: search by serial number or label",
    means: "The token then appears under My tokens for this person, and can be set up.",
    submit: "Assign",
    done: (serial: string, name: string) => `Token ${serial} is assigned to ${name}`,
  },
  due: {
    bothBlocked: "PIN and PUK are blocked",
    pinBlocked: "PIN is blocked",
    pinLow: "Only one PIN try left",
    pukBlocked: "PUK is blocked",
    factory: "Still has its factory secrets",
    setUp: "Not set up yet",
    half: "Setup was interrupted",
    halfReset: "Reset was interrupted",
    rotation: "Changing the secrets was interrupted",
    ownPin: "Still has the random PIN from setup",
    bare: "No valid certificate",
    begun: (slot: string) => `${slot}: getting a new certificate was interrupted`,
    missing: (slot: string) => `${slot}: the certificate is no longer on the token`,
    expired: (slot: string) => `${slot}: the certificate has expired`,
    revoked: (slot: string) => `${slot}: the certificate is revoked`,
    ends: (slot: string, days: number) =>
      days <= 0
        ? `${slot}: the certificate expires today`
        : `${slot}: the certificate expires in ${days} ${plural(days, "day", "days")}`,
    suspended: "Suspended",
    lost: "",
    retired: "",
  },
  next: {
    leave: "Suspend or revoke",
    leaveText: "Suspend the tokens, and revoke the certificates of somebody who leaves for good.",
    disabled: (name: string) => `${name} can't sign in: the account is disabled.`,
    stillOut: (name: string, n: number, serials: string) =>
      `${name} can't sign in, and still has ${n === 1 ? "token" : "tokens"} ${serials}.`,
    stillOutText: "When a token is returned, plug it in and take it back: it is reset, and in stock again.",
    disabledText: "No tokens are in use, and no certificates are valid.",
    locked: (name: string, until: string) => `${name} is locked out until ${until}.`,
    lockedText: "There were too many failed sign-ins. Make sure that it was really this person.",
    uninvited: (name: string) => `${name} has no password and no invitation yet.`,
    uninvitedText: "An invitation is a link to set the first password.",
    expired: (name: string, ago: string) => `The invitation for ${name} has expired. It was made ${ago}.`,
    expiredText: "A new link is valid for 24 hours.",
    invited: (name: string, ago: string) => `${name} was invited ${ago} and hasn't set a password yet.`,
    invitedText: "The link is valid for 24 hours. A new one replaces it.",
    again: "Invite again",
    tokenless: (name: string) => `${name} has no token.`,
    tokenlessText: "Assign one from stock. It can then be set up.",
    token: (token: string, due: string) => `${token}: ${due}`,
    tokenText: "The token's page shows what to do.",
    suspendedText: "It can be reactivated on the token's page.",
    open: "View token",
    nothing: (name: string) => `Nothing to do for ${name}.`,
    until: (day: string) => `All certificates are valid until at least ${day}.`,
  },
  organization: {
    missing: "Organization not found",
    serverRealm: "the server's",
    counts: "What belongs to it",
    people: "People",
    tokens: "Tokens",
    certificates: "Valid certificates",
    view: "View",
    nothing: "Nothing needs doing.",
    nothingText: "All assigned tokens are set up, and no certificates expire within 30 days.",
    empty: (name: string) => `Nobody belongs to ${name} yet.`,
    emptyText: "Add its people, one by one or from a file.",
    tasks: {
      locked: (n: number, count: string) => (n === 1 ? "1 account is locked." : `${count} accounts are locked.`),
      lapsed: (n: number, count: string) =>
        n === 1
          ? "1 certificate has expired on an active token and was not renewed."
          : `${count} certificates have expired on active tokens and were not renewed.`,
      ending: (n: number, count: string) =>
        n === 1 ? "1 certificate expires within 30 days." : `${count} certificates expire within 30 days.`,
      setUp: (n: number, count: string) =>
        n === 1 ? "1 assigned token is not set up yet." : `${count} assigned tokens are not set up yet.`,
      invited: (n: number, count: string) =>
        n === 1 ? "1 invitation has not been accepted yet." : `${count} invitations have not been accepted yet.`,
      tokenless: (n: number, count: string) => (n === 1 ? "1 person has no token." : `${count} people have no token.`),
    },
  },
};
