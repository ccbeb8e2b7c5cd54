import { seal } from "../agent/seal";
import { isProblem } from "../api/problem";
import { named } from "./outcomes";
import type { Sealed } from "./ports";
import type { Run } from "./run";
import { abort, change, commit } from "./settle";
import { Outcome } from "./types";

/** How many random PINs a card may refuse before a person has to look. */
const proposals = 3;

/**
 * rotation makes a new PIN pending: the chosen one, else a random one. When
 * somebody else opened a rotation meanwhile, that one is taken.
 */
export async function rotation(run: Run, chosen?: string): Promise<void> {
  run.tell("rotation", { field: "pin" });
  try {
    const got = await run.registered(() => run.backend.startRotation(run.serial, ["pin"], chosen, run.options.reason));
    run.wrote(got.version);
    run.opened({ rotation_id: got.id, pin: got.next.pin });
  } catch (error) {
    if (!isProblem(error, "rotation_pending")) throw error;
    await run.readSecrets();
    // The PIN of another's change is not the one that the person chose.
    if (!run.pending("pin") || chosen) throw new Outcome("changed", { ways: ["again"], cause: error });
  }
}

/**
 * inPlace tells whether the server refused the chosen PIN (refusal) because
 * the card has it already, which is what a repeated flow finds after a lost
 * answer. The card decides: the held PIN comes second, so that a wrong first
 * try is made good.
 */
export async function inPlace(run: Run, refusal: unknown, chosen: string | undefined, held: Sealed): Promise<boolean> {
  if (!aboutPIN(refusal) || !chosen) return false;
  try {
    const typed = await seal(run.agentKey, run.serial, "pin", chosen);
    return (await run.agent.probe(run.serial, "pin", [typed, held])).match === 0;
  } catch {
    return false; // the refusal stands
  }
}

/** changeTo gives the card the chosen PIN after an earlier attempt's, which it holds now. */
export async function changeTo(run: Run, chosen: string, held: Sealed): Promise<void> {
  try {
    await rotation(run, chosen);
  } catch (error) {
    if (await inPlace(run, error, chosen, held)) return;
    throw error;
  }
  await apply(run, chosen, (next) => change(run, "pin", held, next));
}

/** aboutPIN tells whether a request was refused for its PIN alone. */
export function aboutPIN(error: unknown): boolean {
  return isProblem(error, "invalid_request") && error.fields.length === 1 && error.of("pin").length === 1;
}

/** apply puts pending PINs on the card by how until it takes one, and commits it. */
export async function apply(run: Run, chosen: string | undefined, how: (next: Sealed) => Promise<void>): Promise<void> {
  for (let n = 1; ; n++) {
    try {
      await how(pendingPIN(run));
    } catch (error) {
      if (!isProblem(error, "pin_refused")) throw named("pin", error);
      // The card is as before.
      run.tell("refused", { field: "pin" });
      await abort(run, "pin");
      if (chosen || n === proposals) {
        throw new Outcome("pin_refused", { field: "pin", ways: ["choose_other_pin"], cause: error });
      }
      await rotation(run, chosen);
      continue;
    }
    return commit(run, "pin");
  }
}

function pendingPIN(run: Run): Sealed {
  const pin = run.pending("pin");
  if (!pin) throw new Error("no PIN is pending");
  return pin;
}
