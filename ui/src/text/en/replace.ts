export const replace = {
  open: "Replace…",
  title: (serial: string) => `Replace token ${serial}`,
  back: (serial: string) => `Token ${serial}`,
  steps: "Steps",
  out: { todo: "Old token out of use", lost: "Old token reported lost", retired: "Old token retired" },
  assign: { todo: "New token assigned", done: (serial: string) => `${serial} assigned` },
  setUp: "New token set up",
  old: "Old token",
  next: "New token",
  nobody: "This token has no owner, so it needs no replacement.",
  why: "What happened?",
  whys: {
    lost: { name: "Lost", text: "Someone may find it: its certificates are revoked as compromised." },
    stolen: { name: "Stolen", text: "Like a lost one. The audit log says it was stolen." },
    broken: {
      name: "Broken",
      text: "Nobody else has it: it is retired, and its certificates are revoked because they are no longer used.",
    },
  },
  holds: (n: number) =>
    n === 0
      ? "It has no valid certificates."
      : n === 1
        ? "Its valid certificate will be revoked. This can't be undone."
        : `Its ${n} valid certificates will be revoked. This can't be undone.`,
  note: "Note for the audit log",
  noteHint: "For example, a ticket number",
  successor: "New token",
  successorHint: (name: string) =>
    `For ${name}. Plug it in, scan its serial number or enter it. Leave empty to choose it later.`,
  successorNeeded: (name: string) => `For ${name}. Plug it in, scan its serial number or enter it.`,
  groups: { plugged: "Plugged in here", theirs: "Already assigned, not set up", stock: "In stock" },
  fits: {
    same: "This is the old token.",
    unknown: "Not registered yet. It will be registered.",
    free: "In stock.",
    theirs: "Already assigned to this person.",
    others: (name: string) => `Belongs to ${name}. Take it back first, or choose another one.`,
    out: (status: string) => `${status}. Choose another one.`,
  },
  submit: {
    replace: "Replace",
    lost: "Report lost only",
    lostAndAssign: "Report lost and assign new one",
    retired: "Retire only",
    retiredAndAssign: "Retire and assign new one",
    assign: "Assign new one",
  },
  missing: { why: "First say what happened.", next: "First choose the new token." },
  reasons: {
    lost: "Lost",
    stolen: "Stolen",
    broken: "Broken",
    by: (serial: string) => `Replaced by ${serial}`,
    of: (serial: string) => `Replaces ${serial}`,
  },
  wasLost: (serial: string) => `Token ${serial} is reported lost, and its certificates are revoked.`,
  wasRetired: (serial: string) => `Token ${serial} is retired, and its certificates are revoked.`,
  wasAssigned: (serial: string, name: string) => `Token ${serial} is assigned to ${name}.`,
  wasSetUp: (serial: string) => `Token ${serial} is set up.`,
  remains: "What remains",
  chooseNext: (name: string) => `${name} has no new token yet.`,
  hasOther: (name: string, n: number, serials: string) =>
    `${name} has ${n === 1 ? "token" : "tokens"} ${serials} in use. Choose a token only if another one is needed.`,
  setUpHere: (name: string) => `Set it up now, while it is plugged in, or give it to ${name} to set up.`,
  setUpAway: (name: string) =>
    `Plug it into this computer to set it up, or give it to ${name}, who can set it up under My tokens.`,
  setUpNow: "Set up now",
  stillInUse: (serial: string) => `Token ${serial} is still in use.`,
  done: (name: string) => `${name} has a new token`,
  pinLater: (name: string) => `${name} chooses the PIN when first using it.`,
  openNext: "Show new token",
};
