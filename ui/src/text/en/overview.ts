const plural = (n: number, one: string, many: string) => (n === 1 ? one : many);

export const overview = {
  title: "Overview",
  todo: {
    title: "What needs doing",
    failed: "Not everything could be checked",
    nothing: (name: string) => `All done, ${name}.`,
    nothingMine: (until: string) => `Your tokens are set up, and your certificates are valid until ${until}.`,
    nothingAll: "Nobody waits for you: tokens are set up, and no certificate ends within 30 days.",
    noToken: "You have no token yet",
    noTokenText: "Ask your administrator for one. As soon as it is assigned to you, this page says how to set it up.",
    more: (n: number) => `and ${n} more`,
  },
  mine: {
    setUp: (token: string) => `${token} is yours and waits to be set up.`,
    setUpAction: "Set it up",
    rotation: (token: string) => `A change of the secrets of ${token} was begun and not finished.`,
    rotationAction: "Go on",
    ends: (slot: string, token: string, days: number) =>
      days <= 0
        ? `The certificate for ${slot} on ${token} ends today.`
        : `The certificate for ${slot} on ${token} ends in ${days} ${plural(days, "day", "days")}.`,
    endsAction: "Renew",
    unconfirmed: (slot: string, token: string) =>
      `The certificate for ${slot} never arrived on ${token}, as far as is known.`,
    unconfirmedAction: "Check",
    bare: (token: string) => `${token} holds no valid certificate.`,
    bareAction: "Make one",
    suspended: (token: string) => `${token} is suspended. Your administrator can bring it back.`,
    suspendedAction: "Details",
    agent: "The agent on this computer is not ready, so tokens can't be read here.",
    agentAction: "See what to do",
  },
  fleet: {
    crl: "The revocation list could not be renewed. Others still get the last one.",
    crlAction: "See the system's health",
    seal: "The audit log is not being sealed.",
    sealAction: "Look at it",
    setUp: (n: number, count: string) =>
      plural(n, "One token is assigned and not set up yet.", `${count} tokens are assigned and not set up yet.`),
    setUpAction: "Show",
    ending: (n: number, count: string) =>
      plural(n, "One certificate ends within 30 days.", `${count} certificates end within 30 days.`),
    endingAction: "Show",
    locked: (name: string) => `${name} is locked out after too many wrong passwords.`,
    lockedAction: "Unlock",
    lockedMore: (n: number, count: string) =>
      plural(n, "One more person is locked out.", `${count} more people are locked out.`),
    lockedMoreAction: "Show",
    tokenless: (count: string, names: string, more: boolean) =>
      `${count} people have no token: ${names}${more ? ", …" : "."}`,
    tokenlessOne: (name: string) => `${name} has no token.`,
    tokenlessAction: "Show",
    old: (n: number, count: string) =>
      plural(
        n,
        "One token has had the same secrets for over a year.",
        `${count} tokens have had the same secrets for over a year.`,
      ),
    oldAction: "Report",
    rotation: (token: string, owner: string) =>
      owner
        ? `A change of the secrets of ${token}, owned by ${owner}, was begun and not finished.`
        : `A change of the secrets of ${token} was begun and not finished.`,
    rotationAction: "Open",
    rotationsMore: (n: number, count: string) =>
      plural(
        n,
        "One more token has such an unfinished change.",
        `${count} more tokens have such an unfinished change.`,
      ),
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
    crlNone: "Idle",
    crlNoneText: "nobody has asked for it yet",
    crlFetched: "renewed",
    seal: "Audit seal",
    sealed: "sealed",
    health: "System",
    healthy: { ok: "All well", degraded: "Degraded", unavailable: "Unavailable" },
    healthMore: (n: number) => plural(n, "1 part needs a look", `${n} parts need a look`),
  },
  charts: {
    status: "Tokens by status",
    total: (n: number, count: string) => plural(n, "1 token", `${count} tokens`),
    firmware: "Tokens by firmware",
    unknown: "unknown",
    others: (n: number) => `${n} others`,
    weeks: "Certificates ending, by week",
    week: (from: string, count: string) => `Week from ${from}: ${count}`,
    weeksSome: (n: number, count: string, weeks: number) =>
      plural(n, `One certificate ends in these ${weeks} weeks.`, `${count} certificates end in these ${weeks} weeks.`),
    weeksNone: (weeks: number) => `No certificate ends in these ${weeks} weeks.`,
    releases: "Releases of secrets, by reason",
    releasesTotal: (count: string) => `${count} in the last 30 days`,
    releasesNone: "No secret was released in the last 30 days.",
    noReason: "By the owner, without a reason",
    noTokens: "No tokens yet. Register some, or import a list.",
    noTokensAction: "Tokens in stock",
  },
};
