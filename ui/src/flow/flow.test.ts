import { beforeAll, describe, expect, test } from "vitest";
import { changePIN, enroll, type Options, recoverWithPIN, renew, reset, setRetries, steps, unblock } from ".";
import { Cut, Line } from "./model/cut";
import { random } from "./model/random";
import { agentKey, keyHash, World } from "./model/world";
import { fields, type Kind } from "./types";

const chosen = "739164";
const outside = "86420135";

/** options lets factory values be tried, but nothing be overwritten: what an attempt leaves is its successor's. */
function options(world: World, line = new Line()): Options {
  return {
    serial: world.serial,
    ports: line.ports(world),
    confirm: async (q) => q.kind !== "overwrite",
  };
}

/** What the card holds has to be on record at any moment, or it is lost. */
function neverLost(world: World) {
  for (const f of fields) expect(world.vault.knows(f, world.card.held[f]), `the card's ${f} is on record`).toBe(true);
}

function finished(world: World) {
  for (const f of fields) {
    expect(world.card.held[f], `the vault's ${f} opens the card`).toBe(world.vault.values[f].current);
    expect(world.vault.values[f].superseded).not.toContain(world.card.held[f]);
  }
  expect(world.vault.rotation).toBeNull();
  expect(world.enrolledAt).not.toBeNull();
}

function certified(world: World) {
  const live = world.records.filter((r) => r.status === "issued");
  const onCard = world.card.slots.get("9a")?.certificate?.serialNumber;
  expect(live.map((r) => r.serial_number)).toEqual([onCard]);
  expect(live[0]?.installed_at).not.toBeNull();
  expect(live[0]?.public_key_sha256).toBe(keyHash(world.card.slots.get("9a")?.key.id ?? 0));
}

beforeAll(() => {
  agentKey(); // takes seconds
}, 60_000);

type Scenario = {
  tells?: boolean;
  /** What the world is before. */
  start?: (world: World) => Promise<unknown> | unknown;
  run: (options: Options) => Promise<unknown>;
  /** What comes after a cut; the same when absent. */
  again?: (options: Options) => Promise<unknown>;
  check?: (world: World, before: { pin: string; certificate: string | undefined }) => void;
  /** The card holds what nobody but the person knows. */
  foreign?: boolean;
};

const enrolled = (world: World) => enroll(options(world));
const pinChanged: Scenario["check"] = (world, before) => expect(world.card.held.pin).not.toBe(before.pin);
const pinChosen: Scenario["check"] = (world) => expect(world.card.held.pin).toBe(chosen);
const changedOutside = async (world: World) => {
  await enrolled(world);
  world.card.held.pin = outside;
};

const scenarios: Record<string, Scenario> = {
  enroll: { run: enroll },
  "enroll, firmware 5.2": { tells: false, run: enroll },
  "change PIN": { start: enrolled, run: (o) => changePIN(o), check: pinChanged },
  "change PIN, chosen": { start: enrolled, run: (o) => changePIN(o, chosen), check: pinChosen },
  "change PIN, firmware 5.2": { tells: false, start: enrolled, run: (o) => changePIN(o), check: pinChanged },
  unblock: { start: enrolled, run: (o) => unblock(o), check: pinChanged },
  "unblock, chosen": { start: enrolled, run: (o) => unblock(o, chosen), check: pinChosen },
  "unblock a blocked PIN": {
    start: async (world) => {
      await enrolled(world);
      world.card.left.pin = 0;
    },
    run: (o) => unblock(o),
    check: pinChanged,
  },
  renew: {
    start: enrolled,
    run: (o) => renew(o),
    check: (world, before) =>
      expect(world.card.slots.get("9a")?.certificate?.serialNumber).not.toBe(before.certificate),
  },
  // Nobody has to know that it was a renewal: whatever it left, an enrolment
  // ends with a certificate for the key that is there.
  "renew, then enroll": { start: enrolled, run: (o) => renew(o), again: enroll },
  "renew, then enroll, firmware 5.2": { tells: false, start: enrolled, run: (o) => renew(o), again: enroll },
  "reset and enroll": {
    start: enrolled,
    run: async (o) => {
      await reset(o);
      return enroll(o);
    },
    check: (world, before) =>
      expect(world.card.slots.get("9a")?.certificate?.serialNumber).not.toBe(before.certificate),
  },
  recover: { start: changedOutside, foreign: true, run: (o) => recoverWithPIN(o, outside), check: pinChanged },
  "recover, chosen": {
    start: changedOutside,
    foreign: true,
    run: (o) => recoverWithPIN(o, outside, chosen),
    check: pinChosen,
  },
  "recover, the same": { start: changedOutside, foreign: true, run: (o) => recoverWithPIN(o, outside, outside) },
  "set retries and enroll": {
    start: async (world) => {
      await enrolled(world);
      world.card.left.puk = 0;
    },
    run: async (o) => {
      await setRetries(o);
      return enroll(o);
    },
  },
  "set retries and enroll, firmware 5.2": {
    tells: false,
    start: enrolled,
    run: async (o) => {
      await setRetries(o);
      return enroll(o);
    },
  },
};

async function begin(s: Scenario, seed = 1) {
  const world = new World({ seed, tells: s.tells ?? true });
  await s.start?.(world);
  const before = { pin: world.card.held.pin, certificate: world.card.slots.get("9a")?.certificate?.serialNumber };
  return { world, before };
}

const patience = { timeout: 120_000 }; // on a busy machine

describe("a flow that is killed before or after any call can be run again", patience, () => {
  for (const [name, s] of Object.entries(scenarios)) {
    test(name, async () => {
      const whole = new Line();
      const first = await begin(s);
      await s.run(options(first.world, whole));
      finished(first.world);
      certified(first.world);
      s.check?.(first.world, first.before);
      for (const [at, call] of whole.names.entries()) {
        for (const after of [false, true]) {
          const { world, before } = await begin(s);
          const where = `${after ? "answer of" : "before"} ${call} (${at})`;
          await expect(s.run(options(world, new Line(at, after))), where).rejects.toThrow(Cut);
          if (!s.foreign) neverLost(world);
          try {
            await (s.again ?? s.run)(options(world));
            finished(world);
            certified(world);
            s.check?.(world, before);
          } catch (error) {
            throw new Error(`after a cut ${where}`, { cause: error });
          }
        }
      }
    });
  }
});

test("whatever is killed, and however often, enrolment and renewal put it right", patience, async () => {
  const flows = [
    (o: Options) => enroll(o),
    (o: Options) => changePIN(o),
    (o: Options) => changePIN(o, chosen),
    (o: Options) => unblock(o),
    (o: Options) => unblock(o, "864203"),
    (o: Options) => renew(o),
  ];
  for (let seed = 1; seed <= 120; seed++) {
    const next = random(seed);
    const world = new World({ seed });
    const trail: string[] = [];
    for (let i = 0; i < 6; i++) {
      const which = Math.floor(next() * flows.length);
      const line = new Line(Math.floor(next() * 24), next() < 0.5);
      const done = await flows[which]?.(options(world, line)).catch((error: unknown) => {
        trail.push(`${which}: ${error}`);
      });
      neverLost(world);
      if (done) expect(world.card.held.pin).toBe(world.vault.values.pin.current);
    }
    try {
      await enroll(options(world));
      finished(world);
      certified(world);
      await renew(options(world));
      finished(world);
      certified(world);
    } catch (error) {
      throw new Error(`seed ${seed}\n${trail.join("\n")}`, { cause: error });
    }
  }
});

test("another flow settles what a lost change left", async () => {
  for (const after of [false, true]) {
    const whole = new Line();
    const measured = new World();
    await enrolled(measured);
    await changePIN(options(measured, whole));
    const world = new World();
    await enrolled(world);
    const before = world.card.held.pin;
    const line = new Line(whole.names.indexOf("setPin"), after);
    await expect(changePIN(options(world, line))).rejects.toThrow(Cut);
    await renew(options(world));
    finished(world);
    expect(world.card.held.pin === before).toBe(!after);
  }
});

test("a renewal whose answer was lost is finished, not begun anew", async () => {
  for (const call of ["generateCsr", "signCsr", "importCertificate", "installed"]) {
    const whole = new Line();
    const measured = new World();
    await enrolled(measured);
    await renew(options(measured, whole));
    const world = new World();
    await enrolled(world);
    await expect(renew(options(world, new Line(whole.names.indexOf(call), call !== "installed")))).rejects.toThrow(Cut);
    const key = world.card.slots.get("9a")?.key.id;
    const { resumed } = await renew(options(world));
    expect(resumed, call).toBe(true);
    expect(world.card.slots.get("9a")?.key.id, call).toBe(key);
    expect(world.records.length, call).toBe(2);
    certified(world);
  }
});

test("a renewal takes no key that would not be signed for an earlier attempt's", async () => {
  const world = new World();
  await enrolled(world);
  const slot = world.card.slots.get("9a");
  if (!slot) throw new Error("no slot");
  slot.key = { ...slot.key, id: 77, algorithm: "ECCP256" }; // made on the card by somebody else
  const { resumed } = await renew(options(world));
  expect(resumed).toBe(false);
  expect(world.card.slots.get("9a")?.key.algorithm).toBe("RSA2048");
  certified(world);
});

test("every event stands at a step that the stepper shows, and they come in order", async () => {
  const runs: [Kind, (o: Options) => Promise<unknown>][] = [
    ["enroll", enroll],
    ["change_pin", (o) => changePIN(o)],
    ["unblock", (o) => unblock(o)],
    ["renew", (o) => renew(o)],
    ["set_retries", (o) => setRetries(o)],
    ["reset", reset],
  ];
  const world = new World();
  for (const [kind, run] of runs) {
    const at: number[] = [];
    await run({ ...options(world), progress: (e) => at.push(steps(kind).indexOf(e.stage)) });
    expect(at).not.toContain(-1);
    expect(at, kind).toEqual([...at].sort((a, b) => a - b));
    expect(at.at(-1)).toBe(steps(kind).length - 1);
  }
});
