import { low, naming, unknown } from "./outcomes";
import type { Candidate } from "./ports";
import type { Run } from "./run";
import type { Field } from "./types";

/**
 * find tells which of the vault's values the card holds. It never spends the
 * last tries: the agent refuses, and that is an outcome.
 */
export async function find(run: Run, field: Field): Promise<Candidate> {
  let list = await candidates(run, field);
  run.tell("probe", { field });
  for (let round = 0; ; round++) {
    const values = list.map((c) => c.value);
    const { match, tried, retries_left } = await naming(field, run.agent.probe(run.serial, field, values));
    const found = match === null ? undefined : list[match];
    if (found) return found;
    if (tried >= list.length) {
      // Others come first next time.
      await run.observe(field, "none");
      throw unknown(field);
    }
    // Only firmware that does not count its tries stops early.
    if (!(await another(run, field, round, retries_left))) {
      // The next attempt does not begin with the value that was wrong.
      await run.observe(field, "none");
      throw low(field);
    }
    list = list.slice(Math.max(tried, 0));
  }
}

/**
 * another asks before a second try is spent where the tries cannot be counted
 * beforehand. The failed one told how many are left. There is no third.
 */
async function another(run: Run, field: Field, round: number, left: number | null): Promise<boolean> {
  if (round > 0 || run.counts) return false;
  return run.ask({ kind: "another_try", field, last: left !== null && left < 2 });
}

/**
 * candidates puts the vault's candidates into the order of trying, the
 * factory's only where the card, or else the person, says that it is in use.
 */
async function candidates(run: Run, field: Field): Promise<Candidate[]> {
  const list = run.candidates(field);
  const told = run.defaults[`${field}_default`];
  if (told === true) return onlyFactory(run, field, list);
  if (told === false) return list.filter((c) => !isFactory(c));
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
 * untouched tells that the card's field before this one, in the order of
 * change, was the factory's when this attempt began: then this one is as well.
 */
function untouched(run: Run, field: Field): boolean {
  return run.held.get(field === "pin" ? "puk" : "management_key")?.kind === "factory";
}

function isFactory(c: Candidate): boolean {
  return c.kind === "factory";
}
