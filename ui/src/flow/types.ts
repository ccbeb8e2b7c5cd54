/** Kind names a flow. */
export type Kind = "enroll" | "change_pin" | "unblock" | "renew" | "reset" | "recover" | "set_retries";

/** Field is one of a token's three secrets. */
export type Field = "pin" | "puk" | "management_key";

/** fields lists them in the order in which a card is changed. */
export const fields: readonly Field[] = ["management_key", "puk", "pin"];

/** Slot is a PIV key slot. */
export type Slot = "9a" | "9c" | "9d" | "9e";

/** Step is what a flow does at a moment. Texts: flow.doing[step]. */
export type Step =
  | "agent" // registering the agent with the session
  | "read" // reading the vault's record and the card
  | "probe" // finding out which value the card holds
  | "settle" // recording what the card holds
  | "rotation" // having the vault make a new PIN
  | "refused" // the card refused the PIN by its own rules, and is unchanged
  | "management_key"
  | "puk"
  | "pin"
  | "unblock" // setting the PIN with the PUK
  | "readiness" // asking whether a certificate would be issued
  | "key" // making a key and a request
  | "request" // making a request with the key in the slot
  | "sign"
  | "import"
  | "installed"
  | "enrolled"
  | "retries" // setting the retry counters anew
  | "reset_server" // announcing the reset
  | "reset_card" // the card's own reset
  | "done";

/** Stage is a step as the person sees it in a stepper. Texts: flow.stages[stage]. */
export type Stage =
  | "connect"
  | "management_key"
  | "puk"
  | "pin"
  | "key"
  | "sign"
  | "import"
  | "retries"
  | "server"
  | "card"
  | "ready";

/** Event is progress. It never holds a secret. */
export type Event = {
  step: Step;
  /** Where this belongs in steps(kind). */
  stage: Stage;
  /** The secret that probe and settle are about. */
  field?: Field;
  /** The slot of a plan that this is about. */
  slot?: Slot;
  /** True when the token may wait for a finger. */
  touch?: boolean;
};

/** Question is asked of the person where a flow must not decide alone. Texts: flow.questions. */
export type Question =
  /** The card does not tell whether it has factory values (firmware before 5.3), and trying them costs a try. */
  | { kind: "factory" }
  /**
   * What was tried was wrong, and the next try is one that the person may need,
   * or that the card does not count. last: a wrong one blocks the field.
   */
  | { kind: "another_try"; field: Field; last: boolean }
  /** Something would be lost that Keyward did not put there, or that old messages need. */
  | { kind: "overwrite"; slot: Slot; reason: OverwriteReason };

/** OverwriteReason says what the slot holds. */
export type OverwriteReason =
  | "foreign" // a certificate that is not from Keyward
  | "other_key" // a key of another kind
  | "imported_key" // a key without proof that it was made on this card
  | "unreadable" // something that Keyward cannot read
  | "decryption_ended" // 9d: a decryption key whose certificate is no longer valid
  | "decryption"; // 9d: the present decryption key, at a renewal

/** OutcomeCode names a stop with ways out. Texts: flow.outcomes. */
export type OutcomeCode =
  | "unknown" // the card holds none of the vault's values
  | "retries_low" // one more wrong try could block the card
  | "pin_blocked"
  | "puk_blocked"
  | "pin_refused" // by the card's own rules
  | "wrong_pin" // the PIN that the person typed is not the card's
  | "not_enrolled"
  | "not_ready" // a certificate would not be issued: see reasons
  | "slot_occupied" // and nobody agreed to overwrite it
  | "changed"; // the card answered otherwise than a moment ago

/** Way is something to do now. Texts: flow.ways. */
export type Way =
  | "foreign" // find out who changed it, and change it back there
  | "type_pin" // recoverWithPIN
  | "unblock"
  | "use_pin_once" // enter the right PIN in another program: that refills its tries
  | "set_retries"
  | "reset"
  | "enroll"
  | "again"
  | "remove_obstacle" // see reasons, then again
  | "choose_other_pin"
  | "agree" // again, and say yes
  | "renew_new_key";

type Details = {
  field?: Field;
  slot?: Slot;
  /** Of not_ready: the server's codes. Texts: flow.reasons. */
  reasons?: string[];
  /** The gentlest first. */
  ways?: Way[];
  /** Of wrong_pin, where the card tells. */
  retriesLeft?: number | null;
  kept?: boolean;
  declined?: boolean;
  cause?: unknown;
};

/**
 * Outcome is a stop with ways out. Card and vault still agree on what may be
 * tried; the same flow may be run again.
 */
export class Outcome extends Error {
  readonly code: OutcomeCode;
  readonly field: Field | undefined;
  readonly slot: Slot | undefined;
  readonly reasons: readonly string[];
  readonly ways: readonly Way[];
  readonly retriesLeft: number | null;
  /** Of retries_low: tries are left, but they are the person's. */
  readonly kept: boolean;
  /** Of retries_low: the person did not want the next try. */
  readonly declined: boolean;

  constructor(code: OutcomeCode, details: Details = {}) {
    super(`the flow stopped: ${code}`, { cause: details.cause });
    this.name = "Outcome";
    this.code = code;
    this.field = details.field;
    this.slot = details.slot;
    this.reasons = details.reasons ?? [];
    this.ways = details.ways ?? [];
    this.retriesLeft = details.retriesLeft ?? null;
    this.kept = details.kept ?? false;
    this.declined = details.declined ?? false;
  }
}

/** isOutcome tells an outcome from other errors, and one code from another. */
export function isOutcome(error: unknown, ...codes: OutcomeCode[]): error is Outcome {
  return error instanceof Outcome && (codes.length === 0 || codes.includes(error.code));
}

/** Options are what every flow needs. */
export type Options = {
  serial: string;
  /** 9a when absent. */
  slot?: Slot;
  /** The slots that enroll fills; none: slot alone. It never replaces what 9d holds. */
  plan?: readonly Slot[];
  /** Demanded for somebody else's token. */
  reason?: string;
  /** Stops before the next step (AbortError), never in the middle of a call that touches the card. */
  signal?: AbortSignal;
  progress?: (event: Event) => void;
  /** No answer is no. */
  confirm?: (question: Question) => Promise<boolean>;
  /** useRecent()'s function: registering an agent that is new to this user demands a recent sign-in, and signing without attestation. */
  recently?: <T>(task: () => Promise<T>) => Promise<T>;
};

/** Result is what a flow did. */
export type Result = {
  serial: string;
  /** An earlier attempt was found and finished. */
  resumed: boolean;
  /** There was nothing to do. */
  unchanged: boolean;
  /** The certificates that the slots hold now, for flows about some. */
  certificates: Held[];
  /** The slots of a plan that were left as they are. */
  kept: Slot[];
};

/** Held is a certificate in a slot. */
export type Held = { slot: Slot; serialNumber: string; notAfter: string };
