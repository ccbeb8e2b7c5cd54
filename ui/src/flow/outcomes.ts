import { isProblem } from "../api/problem";
import { type Field, Outcome, type Way } from "./types";

/** unknown: the card holds none of the vault's values. It was changed outside Keyward, or is enrolled elsewhere. */
export function unknown(field: Field): Outcome {
  const ways: Record<Field, Way[]> = {
    pin: ["foreign", "type_pin", "unblock", "reset"],
    puk: ["foreign", "set_retries", "reset"],
    management_key: ["foreign", "reset"],
  };
  return new Outcome("unknown", { field, ways: ways[field] });
}

/** low: too few tries are left to find out which value the card holds. Nothing more was tried. */
export function low(field: Field, cause?: unknown): Outcome {
  const ways: Way[] = field === "pin" ? ["type_pin", "use_pin_once", "unblock"] : ["set_retries", "reset"];
  return new Outcome("retries_low", { field, ways, cause });
}

/** kept is low for a PIN whose last tries nobody wanted to spend: whoever knows it can type it. */
export function kept(): Outcome {
  return new Outcome("retries_low", { field: "pin", ways: ["type_pin", "use_pin_once", "unblock"], kept: true });
}

/** declined: the person did not want the next try, so nothing more was tried. */
export function declined(field: Field): Outcome {
  const ways: Way[] = field === "pin" ? ["type_pin", "use_pin_once", "unblock"] : ["set_retries", "reset"];
  return new Outcome("retries_low", { field, ways, kept: field === "pin", declined: true });
}

/** blocked: no try is left. */
export function blocked(field: "pin" | "puk", cause?: unknown): Outcome {
  if (field === "puk") return new Outcome("puk_blocked", { field, ways: ["set_retries", "reset"], cause });
  return new Outcome("pin_blocked", { field, ways: ["unblock", "reset"], cause });
}

/** named turns an agent's refusal into an outcome, where it is one. */
export function named(field: Field, error: unknown): unknown {
  if (isProblem(error, "retries_low")) return low(field, error);
  if (isProblem(error, "pin_blocked")) return blocked("pin", error);
  if (isProblem(error, "puk_blocked")) return blocked("puk", error);
  // The card refused what it held a moment ago: somebody else changed it meanwhile.
  if (isProblem(error, "wrong_puk")) return new Outcome("changed", { field: "puk", ways: ["again"], cause: error });
  if (isProblem(error, "wrong_pin", "wrong_management_key")) {
    return new Outcome("changed", { field, ways: ["again"], cause: error });
  }
  return error;
}

/** naming runs a call of the agent and throws what named makes of its refusal. */
export async function naming<T>(field: Field, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    throw named(field, error);
  }
}

/** notEnrolled: the card's value is still, or again, the factory's; or the slot holds no certificate of ours. */
export function notEnrolled(field?: Field): Outcome {
  return new Outcome("not_enrolled", { field, ways: ["enroll"] });
}
