import type { Device } from "../token/next";

/** Why somebody needs another token. */
export const whys = ["lost", "stolen", "broken"] as const;
export type Why = (typeof whys)[number];

/** What is lost or stolen may be in other hands: its certificates count as compromised. What is broken is only over. */
export const becomes = { lost: "lost", stolen: "lost", broken: "retired" } as const satisfies Record<
  Why,
  Device["status"]
>;

/** Fit is how a token stands as the successor of another one. */
export type Fit =
  | "same"
  /** Not on record, as far as this person sees. */
  | "unknown"
  /** In stock, for whoever needs one. */
  | "free"
  /** Given to the same person already. */
  | "theirs"
  | "others"
  /** Suspended, lost or retired. */
  | "out";

type Token = Pick<Device, "serial" | "status" | "owner">;

/** fitOf tells how a token stands as the successor of another. next: its record; null: there is none. */
export function fitOf(old: Token, serial: string, next: Token | null): Fit {
  if (serial.toLowerCase() === old.serial.toLowerCase()) return "same";
  if (!next) return "unknown";
  if (next.owner && next.owner.id !== old.owner?.id) return "others";
  if (isOut(next)) return "out";
  return next.owner ? "theirs" : "free";
}

/** fits: such a token can be the successor. */
export const fits = (fit: Fit) => fit === "unknown" || fit === "free" || fit === "theirs";

/** isGiven: a token that somebody has, and that is still to be set up. */
export const isGiven = (device: Pick<Device, "status" | "enrolled_at">) =>
  !isOut(device) && device.enrolled_at === null;

type Here = { serial: string /** undefined: its record is still asked for. */; suits: boolean | undefined };

/**
 * looked tells which of the tokens that are plugged in came since the last look, and can be the successor. At first
 * (seen: undefined) all are there already.
 */
export function looked(seen: ReadonlySet<string> | undefined, here: readonly Here[]) {
  const told = here.filter((h) => !seen || seen.has(h.serial) || h.suits !== undefined);
  const came = told.find((h) => seen && h.suits && !seen.has(h.serial))?.serial;
  return { seen: new Set(told.map((h) => h.serial)), came };
}

/** likely is the token that was given to the old one's owner for it: the only one of theirs that is still to be set up. */
export function likely(old: Token, theirs: readonly Device[]): string | undefined {
  const [first, ...more] = theirs.filter((d) => d.serial !== old.serial && isGiven(d));
  return more.length === 0 ? first?.serial : undefined;
}

const isOut = ({ status }: Pick<Token, "status">) =>
  status === "suspended" || status === "lost" || status === "retired";

/** Standing is what of a replacement is done. It is read from the tokens alone, so that it can be gone on with anywhere. */
export type Standing = { out: boolean; assigned: boolean; setUp: boolean };

export function standingOf(old: Token, next: (Token & Pick<Device, "enrolled_at">) | null | undefined): Standing {
  const assigned = !!next && fitOf(old, next.serial, next) === "theirs";
  return {
    out: old.status === "lost" || old.status === "retired",
    assigned,
    setUp: assigned && next.enrolled_at !== null,
  };
}
