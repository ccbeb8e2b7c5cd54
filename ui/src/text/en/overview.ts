const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

export const overview = {
  title: "Overview",
  todo: {
    label: (label: string) => `“${label}”`,
    title: "What needs doing",
    failed: "Not everything could be checked",
    nothing: (name: string) => `All done, ${name}.`,
    nothingMine: (until: string) => `Your tokens are set up, and your certificates are valid until ${until}.`,
    nothingAll: "All assigned tokens are set up, and no certificates expire within 30 days.",
    nothingElse: "Nothing else needs doing.",
    noToken: "You have no token yet",
    noTokenText: "Ask your administrator for one. Once it is assigned to you, you can set it up here.",
    more: (n: number) => `and ${n} more`,
  },
  firstSteps: {
    title: "First steps",
    progress: (done: number, all: number) => `${done} of ${all} done`,
    hide: "Hide",
    show: "Show first steps",
    done: "Done",
    open: "Not done yet",
    steps: {
      tls: "Use HTTPS",
      organization: "Add an organization",
      people: "Add people",
      token: "Register the first token",
      mail: "Set up email",
      backup: "Create a backup",
    },
    why: {
      tls: "Set TLS_CERT_FILE, TLS_KEY_FILE and a SITE_URL that starts with https:// on the server, then restart it.",
      organization: "Organizations separate people and tokens, and can have their own managers.",
      people: "Everyone who uses a token gets an account. Add people one by one or import a list.",
      token: "Plug it in or enter its serial number.",
      mail: "Invitations and warnings about certificates then arrive by email.",
      backup: "Choose where backups go, set a password and create the first one.",
    },
    action: {
      tls: "View",
      organization: "Add organization",
      people: "Add people",
      token: "Register token",
      mail: "Set up email",
      backup: "Set up backups",
    },
    profiles: "Choose what certificates are for (optional)",
    profilesWhy: "Tokens get one certificate for everything, or one each for logon, signature and encryption.",
    profilesAction: "Choose",
    plugged: (serials: readonly string[]) =>
      serials.length === 1
        ? `Token ${serials[0]} is plugged in now.`
        : `${serials.length} tokens are plugged in now: ${serials.join(", ")}.`,
  },
  mine: {
    setUp: (token: string) => `Your token ${token} is not set up yet.`,
    setUpAction: "Set it up",
    half: (token: string) => `Your token ${token} is not fully set up.`,
    halfAction: "Continue",
    halfReset: (token: string) => `Your token ${token} is not fully reset: its keys are still on it.`,
    halfResetAction: "Continue",
    bothBlocked: (token: string) => `PIN and PUK of ${token} are both blocked.`,
    bothBlockedAction: "View",
    pinBlocked: (token: string) => `The PIN of ${token} is blocked.`,
    pinBlockedAction: "View",
    pinLow: (token: string) => `${token} has only one PIN try left.`,
    pinLowAction: "View",
    pukBlocked: (token: string) => `The PUK of ${token} is blocked.`,
    pukBlockedAction: "View",
    factory: (token: string) => `${token} still has the values it came with, which anyone can look up.`,
    factoryAction: "Set it up",
    missing: (slot: string, token: string) => `The certificate for ${slot} is no longer on ${token}.`,
    missingAction: "View",
    ownPin: (token: string) => `${token} still has the random PIN from setup.`,
    ownPinAction: "Choose PIN",
    rotation: (token: string) => `Changing the secrets of ${token} was interrupted.`,
    rotationAction: "Continue",
    ends: (slot: string, token: string, days: number) =>
      days <= 0
        ? `The certificate for ${slot} on ${token} expires today.`
        : `The certificate for ${slot} on ${token} expires in ${days} ${plural(days, "day", "days")}.`,
    endsAction: "Renew",
    revoked: (slot: string, token: string) => `The certificate for ${slot} on ${token} is revoked.`,
    revokedAction: "Renew",
    expired: (slot: string, token: string) => `The certificate for ${slot} on ${token} has expired.`,
    expiredAction: "Renew",
    begun: (slot: string, token: string) => `Getting a new certificate for ${slot} on ${token} was interrupted.`,
    begunAction: "Continue",
    bare: (token: string) => `${token} has no valid certificate.`,
    bareAction: "Get certificate",
    lost: (token: string) => `${token} is reported lost, and you have no other token.`,
    lostAction: "View",
    retired: (token: string) => `${token} is retired, and you have no other token.`,
    retiredAction: "View",
    suspended: (token: string) => `${token} is suspended. Your administrator can reactivate it.`,
    suspendedAction: "Details",
    agent: "The agent on this computer is not ready, so it can't read tokens.",
    agentAction: "Fix it",
  },
  fleet: {
    crl: "The revocation list could not be renewed. The last one is still being served.",
    crlAction: "View system health",
    ca: (day: string) =>
      `The certificate authority needs a successor: from ${day}, new certificates would have a shorter life than they should.`,
    caOver: "The certificate authority has expired and can't sign certificates. It needs a successor.",
    caAction: "View",
    seal: "The audit log is not being sealed.",
    sealAction: "View",
    setUp: (n: number, count: string) =>
      plural(n, "One assigned token is not set up yet.", `${count} assigned tokens are not set up yet.`),
    setUpAction: "View",
    ended: (n: number, count: string) =>
      plural(
        n,
        "One certificate on an active token has expired and was not renewed.",
        `${count} certificates on active tokens have expired and were not renewed.`,
      ),
    endedAction: "View",
    ending: (n: number, count: string) =>
      plural(n, "One certificate expires within 30 days.", `${count} certificates expire within 30 days.`),
    endingAction: "View",
    locked: (name: string) => `${name}'s account is locked after too many wrong passwords.`,
    lockedAction: "Unlock",
    lockedMore: (n: number, count: string) =>
      plural(n, "One more account is locked.", `${count} more accounts are locked.`),
    lockedMoreAction: "View",
    tokenless: (count: string, names: string, more: boolean) =>
      `${count} people have no token: ${names}${more ? ", …" : "."}`,
    tokenlessOne: (name: string) => `${name} has no token.`,
    tokenlessAction: "View",
    old: (n: number, count: string) =>
      plural(
        n,
        "One token has had the same secrets for over a year.",
        `${count} tokens have had the same secrets for over a year.`,
      ),
    oldAction: "View",
    rotation: (token: string, owner: string) =>
      owner
        ? `Changing the secrets of ${token}, owned by ${owner}, was interrupted.`
        : `Changing the secrets of ${token} was interrupted.`,
    rotationAction: "View",
    rotationsMoreAction: "View",
    rotationsMore: (n: number, count: string) =>
      plural(n, "One more token has an interrupted change.", `${count} more tokens have an interrupted change.`),
  },
  tokens: {
    title: "Your tokens",
    all: "All your tokens",
    none: "no certificate",
  },
  glance: {
    title: "At a glance",
    crl: "Revocation list",
    crlFresh: "Fresh",
    crlStale: "Stale",
    crlNone: "Not requested since startup",
    crlNoneText: "no service has asked for it since the server started",
    crlFetched: "renewed",
    seal: "Audit seal",
    sealed: "sealed",
    health: "System",
    healthy: { ok: "Everything works", degraded: "Needs attention", unavailable: "Unavailable" },
    lacking: "Not set up",
    healthMore: (n: number) => plural(n, "1 component needs attention", `${n} components need attention`),
  },
  charts: {
    status: "Tokens by status",
    total: (n: number, count: string) => plural(n, "1 token", `${count} tokens`),
    firmware: "Tokens by firmware",
    unknown: "unknown",
    others: (n: number) => `${n} others`,
    weeks: "Certificates expiring, by week",
    week: (from: string, count: string) => `Week from ${from}: ${count}`,
    weeksSome: (n: number, count: string, valid: string, weeks: number) =>
      plural(
        n,
        `1 of ${valid} valid certificates expires in the next ${weeks} weeks.`,
        `${count} of ${valid} valid certificates expire in the next ${weeks} weeks.`,
      ),
    weeksNone: (n: number, valid: string, weeks: number) =>
      n === 0
        ? "There are no valid certificates."
        : n === 1
          ? `The only valid certificate doesn't expire in the next ${weeks} weeks.`
          : `None of ${valid} valid certificates expires in the next ${weeks} weeks.`,
    releases: "Secret releases, by reason",
    releasesTotal: (count: string) => `${count} in the last 30 days`,
    releasesNone: "No secrets were released in the last 30 days.",
    noReason: "By the owner, without a reason",
    noTokens: "No tokens yet. Register some, or import a list.",
    noTokensAction: "Tokens",
  },
};
