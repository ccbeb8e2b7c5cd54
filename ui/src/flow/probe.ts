import { isProblem } from "../api/problem";
import { blocked, declined, kept, low, named, unknown } from "./outcomes";
import type { Candidate } from "./ports";
import type { Run } from "./run";
import type { Field } from "./types";

/** How many tries of a PIN are the person's: one to mistype it, and one to type it. */
const reserve = 2;

/**
 * find tells which of the vault's values the card holds. It never spends the
 * last try: the agent refuses, and that is an outcome. Of a PIN's tries it
 * leaves two to the person, unless the person lets it go on (see spendable).
 * turn: the field whose step it belongs to.
 */
export async function find(run: Run, field: Field, turn = field): Promise<Candidate> {
  let list = await candidates(run, field);
  run.tell("probe", { field: turn });
  let left = run.info.pin_retries;
  if (field === "pin" && left === 0) throw blocked("pin");
  for (let round = 0; ; round++) {
    let batch = field === "pin" && left !== null ? list.slice(0, spendable(run, list, left, round === 0)) : list;
    if (batch.length === 0 || (round > 0 && !run.counts)) {
      const answer = await another(run, field, round, left);
      if (answer !== "yes") {
        // The next attempt does not begin with a value that was wrong.
        if (round > 0) await run.observe(field, "none");
        if (answer === "no") throw declined(field);
        throw field === "pin" && (left === null || left >= reserve) ? kept() : low(field);
      }
      batch = list.slice(0, 1); // one try is what was asked about
    }
    const { match, tried, retries_left } = await probe(run, field, batch);
    const found = match === null ? undefined : batch[match];
    if (found) return found;
    if (tried >= list.length) {
      // Others come first next time.
      await run.observe(field, "none");
      throw unknown(field);
    }
    list = list.slice(Math.max(tried, 0));
    left = retries_left ?? left; // a value that the card's rules refuse costs no try, and tells none
  }
}

/** probe has the agent try values. Where it tried one before it stopped, the vault is told that this one was wrong. */
async function probe(run: Run, field: Field, batch: readonly Candidate[]) {
  const values = batch.map((c) => c.value);
  try {
    return await run.agent.probe(run.serial, field, values);
  } catch (error) {
    if (isProblem(error, "retries_low") && error.document.tried) await run.observe(field, "none");
    throw named(field, error);
  }
}

/**
 * spendable is how many of the list's PINs may be tried, in order, without
 * asking. A wrong one costs a try that the person needs if none is right. Free
 * are the tries beyond the reserve; the vault's first value, unless the last
 * probe found none of its values; and both values of an open change, one of
 * which the card holds.
 */
function spendable(run: Run, list: readonly Candidate[], left: number, first: boolean): number {
  const doubted = run.doubted("pin");
  const open = run.pending("pin") !== undefined && !doubted;
  const free = list.findIndex((c, i) => {
    const expected = (first && i === 0 && !doubted) || (open && (c.kind === "current" || c.kind === "pending"));
    return !expected && left - i - 1 < reserve;
  });
  return free < 0 ? list.length : free;
}

/**
 * another asks before a try is spent that the person may need, or that cannot
 * be counted beforehand: the failed one told how many are left. There is no
 * third of those.
 */
async function another(run: Run, field: Field, round: number, left: number | null): Promise<"yes" | "no" | "unasked"> {
  if (round > 1 && !run.counts) return "unasked";
  const last = left !== null && left < 2;
  if (last && (field === "pin" || run.counts)) return "unasked"; // the agent would refuse
  await run.stillCurrent();
  return (await run.ask({ kind: "another_try", field, last })) ? "yes" : "no";
}

/**
 * candidates puts the vault's candidates into the order of trying, the
 * factory's only where the card, or else the person, says that it is in use.
 */
async function candidates(run: Run, field: Field): Promise<Candidate[]> {
  const list = run.candidates(field);
  const told = run.defaults[`${field}_default`];
  if (told === true) return onlyFactory(run, field, list);
  if (told === false)
    return likeOthers(
      run,
      field,
      workedLast(
        run,
        field,
        list.filter((c) => !isFactory(c)),
      ),
    );
  return list.some(isFactory) ? perhapsFactory(run, field, list) : list;
}

/**
 * onlyFactory: the card says that the factory value is in use, so nothing else
 * is worth a try. Where the vault does not expect it, the card was reset
 * outside Keyward, and the vault is told.
 */
async function onlyFactory(run: Run, field: Field, list: Candidate[]): Promise<Candidate[]> {
  if (!list.some(isFactory)) {
    await run.observe(field, "factory");
    await run.readSecrets();
    list = run.candidates(field);
  }
  const factory = list.filter(isFactory);
  return factory.length ? factory : list;
}

/**
 * perhapsFactory asks the person, once for all fields. A management key costs
 * no tries, so nobody is asked about it.
 */
async function perhapsFactory(run: Run, field: Field, list: Candidate[]): Promise<Candidate[]> {
  if (field === "management_key") return list;
  run.fresh ??= await run.ask({ kind: "factory" });
  const others = list.filter((c) => !isFactory(c));
  if (!run.fresh) return others;
  const at = untouched(run, field) ? 0 : Math.min(1, others.length);
  return others.toSpliced(at, 0, ...list.filter(isFactory));
}

/**
 * workedLast puts the current value first again where the last probe found none
 * and the card has all its tries: somebody gave it a right one since, so it may
 * have been changed back.
 */
function workedLast(run: Run, field: Field, list: Candidate[]): Candidate[] {
  if (field === "management_key" || !run.doubted(field)) return list;
  const total = run.info[`${field}_retries_total`];
  if (typeof total !== "number" || run.info[`${field}_retries`] !== total) return list;
  const current = list.filter((c) => c.kind === "current");
  return [...current, ...list.filter((c) => c.kind !== "current")];
}

/**
 * likeOthers puts the superseded value first where the card's field before this
 * one, in the order of change, held a superseded one when this attempt began:
 * the three change together at a reset only, and this one did not reach the card.
 */
function likeOthers(run: Run, field: Field, list: Candidate[]): Candidate[] {
  if (field === "management_key" || run.held.get(before(field))?.kind !== "superseded") return list;
  const former = list.filter((c) => c.kind === "superseded");
  return [...former, ...list.filter((c) => c.kind !== "superseded")];
}

/** before is the field that is changed before this one. */
function before(field: "pin" | "puk"): Field {
  return field === "pin" ? "puk" : "management_key";
}

/**
 * untouched tells that the card's field before this one, in the order of
 * change, was the factory's when this attempt began: then this one is as well.
 */
function untouched(run: Run, field: "pin" | "puk"): boolean {
  return run.held.get(before(field))?.kind === "factory";
}

function isFactory(c: Candidate): boolean {
  return c.kind === "factory";
}
