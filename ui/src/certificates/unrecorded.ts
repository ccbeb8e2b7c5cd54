import type { Schema } from "../api/client";

export type Unrecorded = Schema<"UnrecordedIssuance">;

/** Fate is what became of a certificate that the vault logged and is not on record. */
export type Fate = Unrecorded["outcome"] | "revoked";

/** fateOf tells what became of it: what somebody did since counts for more than what the server found. */
export function fateOf({ outcome, revoked_at }: Pick<Unrecorded, "outcome" | "revoked_at">): Fate {
  return revoked_at === null ? outcome : "revoked";
}

/** canRevoke tells whether it may stand, and can be revoked by its serial number. */
export function canRevoke(u: Pick<Unrecorded, "outcome" | "revoked_at" | "serial_number">): boolean {
  const fate = fateOf(u);
  return u.serial_number !== null && (fate === "open" || fate === "lost");
}
