import { naming } from "./outcomes";
import type { Candidate, Sealed } from "./ports";
import { find } from "./probe";
import type { Run } from "./run";
import type { Field } from "./types";

/**
 * settle finds what the card holds for a field and has the vault take note,
 * changing nothing on the card. Afterwards the field is in no open rotation.
 */
export async function settle(run: Run, field: Field): Promise<Candidate> {
  const held = await find(run, field);
  run.held.set(field, held);
  run.prove(field, held.value);
  await record(run, field, held);
  return held;
}

/** settleOpen settles those of the fields that an open rotation holds. */
export async function settleOpen(run: Run, ...fields: Field[]): Promise<void> {
  for (const field of fields) if (run.pending(field)) await settle(run, field);
}

/**
 * record tells the vault what the card holds.
 *
 * The order matters for a superseded value: "superseded" names the first of
 * them, and an abort puts the pending value there. So it is observed first.
 */
async function record(run: Run, field: Field, held: Candidate): Promise<void> {
  if (held.kind === "pending") return commit(run, field);
  const open = run.pending(field) !== undefined;
  const current = held.kind === "current";
  if (current && !open && !doubtful(run, field)) return;
  run.tell("settle", { field });
  if (!open || !current) await run.observe(field, held.kind);
  if (open) await abort(run, field);
}

/** doubtful tells whether the vault would try another value before the current one, or saw none of its values last time. */
export function doubtful(run: Run, field: Field): boolean {
  return run.doubted(field) || run.candidates(field)[0]?.kind !== "current";
}

/** commit says that the card holds the pending value. */
export async function commit(run: Run, field: Field): Promise<void> {
  run.tell("settle", { field });
  run.prove(field, target(run, field).value);
  run.wrote((await run.backend.commitRotation(run.serial, run.rotationId, [field])).secrets.version);
  run.closed(field);
}

/** abort says that the card did not take the pending value. */
export async function abort(run: Run, field: Field): Promise<void> {
  run.wrote((await run.backend.abortRotation(run.serial, run.rotationId, [field])).secrets.version);
  run.closed(field);
}

/** target is where a field is to go: the open rotation's value, else the current one. */
export function target(run: Run, field: Field): Candidate {
  const pending = run.pending(field);
  return pending ? { kind: "pending", value: pending } : { kind: "current", value: run.current(field) };
}

/** bring makes the card hold the target, from whatever it holds, and records it. */
export async function bring(run: Run, field: Field): Promise<void> {
  const held = await find(run, field);
  run.held.set(field, held);
  const to = target(run, field);
  const changes = held.kind !== to.kind;
  if (changes) await naming(field, change(run, field, held.value, to.value));
  await took(run, field, to, changes);
}

/** took records that the card holds the target now. */
export async function took(run: Run, field: Field, to: Candidate, changed: boolean): Promise<void> {
  run.prove(field, to.value);
  if (to.kind === "pending") return commit(run, field);
  if (!changed && !doubtful(run, field)) return;
  run.tell("settle", { field });
  await run.observe(field, "current");
}

/** change has the card replace one value by another. */
export async function change(run: Run, field: Field, from: Sealed, to: Sealed): Promise<void> {
  run.tell(field, { field });
  switch (field) {
    case "pin":
      return run.agent.setPin(run.serial, from, to);
    case "puk":
      return run.agent.setPuk(run.serial, from, to);
    case "management_key":
      return run.agent.rotateManagementKey(run.serial, from, to);
  }
}
