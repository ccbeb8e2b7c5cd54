import { beforeAll, expect, test } from "vitest";
import { isProblem } from "../api/problem";
import {
  changePIN,
  enroll,
  isOutcome,
  type Options,
  type OutcomeCode,
  recoverWithPIN,
  renew,
  setRetries,
  unblock,
} from ".";
import { Line } from "./model/cut";
import { agentKey, World } from "./model/world";
import type { Question } from "./types";

beforeAll(() => {
  agentKey(); // takes seconds
}, 60_000);

const options = (world: World, more: Partial<Options> = {}): Options => ({
  serial: world.serial,
  ports: new Line().ports(world),
  confirm: async () => true,
  ...more,
});

async function enrolled(tells = true): Promise<World> {
  const world = new World({ tells });
  await enroll(options(world));
  return world;
}

/** stops expects a named outcome with ways out. */
async function stops(run: Promise<unknown>, code: OutcomeCode) {
  const error = await run.then(
    () => null,
    (e: unknown) => e,
  );
  if (!isOutcome(error, code)) throw new Error(`want ${code}`, { cause: error });
  expect(error.ways).not.toHaveLength(0);
  return error;
}

test("a PIN that nobody knows is never blocked, however often somebody tries", async () => {
  const world = await enrolled();
  world.card.held.pin = "86420135";
  await stops(changePIN(options(world)), "unknown");
  for (let i = 0; i < 4; i++) await expect(changePIN(options(world))).rejects.toThrow();
  expect(world.card.left.pin).toBeGreaterThan(0);
  await unblock(options(world));
  expect(world.card.held.pin).toBe(world.vault.values.pin.current);
});

test.each([0, 1])(
  "somebody who changes the secrets meanwhile makes no unknown token (%i former PINs)",
  async (former) => {
    const world = await enrolled();
    for (let i = 0; i < former; i++) await changePIN(options(world));
    const { backend, agent } = new Line().ports(world);
    let overtaken = false;
    const ports = {
      agent,
      backend: {
        ...backend,
        secrets: async (serial: string, reason?: string) => {
          const read = await world.backend.secrets(serial, reason);
          if (!overtaken) {
            overtaken = true;
            await changePIN(options(world));
          }
          return read;
        },
      },
    };
    const asked: Question[] = [];
    const confirm: Options["confirm"] = async (q) => asked.push(q) < 0;
    await stops(changePIN(options(world, { ports, confirm }), "739164"), "changed");
    expect(asked).toEqual([]);
    expect(world.vault.values.pin.fruitless).toBe(0);
    await changePIN(options(world, { ports }), "739164");
    expect(world.card.held.pin).toBe("739164");
  },
);

test("with one try left nothing is tried, and unblocking helps", async () => {
  const world = await enrolled();
  world.card.left.pin = 1;
  await stops(changePIN(options(world)), "retries_low");
  expect(world.card.left.pin).toBe(1);
  await unblock(options(world));
  await changePIN(options(world));
});

test("a blocked PIN is unblocked, also by enrolling", async () => {
  const world = await enrolled();
  world.card.left.pin = 0;
  await stops(changePIN(options(world)), "pin_blocked");
  await enroll(options(world));
  await changePIN(options(world));
});

test("a PUK without tries does not hinder the PIN, and new tries help", async () => {
  const world = await enrolled();
  world.card.left.puk = 1;
  await stops(unblock(options(world)), "retries_low");
  world.card.left.puk = 0;
  await stops(unblock(options(world)), "puk_blocked");
  await changePIN(options(world));
  await setRetries(options(world));
  await enroll(options(world));
  await unblock(options(world));
});

test("new tries are set with a PIN that the person types", async () => {
  const world = await enrolled();
  Object.assign(world.card.held, { pin: "86420135", puk: "86420135" });
  const wrong = await stops(setRetries(options(world), "13131313"), "wrong_pin");
  expect(wrong.retriesLeft).toBe(2);
  await setRetries(options(world), "86420135");
  await enroll(options(world));
  expect(world.card.held.puk).toBe(world.vault.values.puk.current);
});

test("a card refuses a PIN by its own rules, and keeps the one it had", async () => {
  const world = await enrolled();
  world.card.picky = true;
  const before = world.card.held.pin;
  await stops(changePIN(options(world), "159753"), "pin_refused");
  expect(world.card.held.pin).toBe(before);
  expect(world.vault.rotation).toBeNull();
  await changePIN(options(world));
});

test("the same PIN again is no error, more often than a PIN has tries", async () => {
  const world = await enrolled();
  for (let i = 0; i < 5; i++) {
    const { unchanged } = await changePIN(options(world), "739164");
    expect(unchanged).toBe(i > 0);
    const refusal = await changePIN(options(world), "12").catch((e: unknown) => e);
    expect(isProblem(refusal, "invalid_request")).toBe(true);
  }
  expect(world.card.held.pin).toBe("739164");
});

test("firmware that does not tell gets no factory value without a person's word", async () => {
  const world = new World({ tells: false });
  const asked: Question["kind"][] = [];
  const confirm = async (q: Question) => {
    asked.push(q.kind);
    return false;
  };
  await stops(enroll(options(world, { confirm })), "unknown");
  expect(asked.filter((k) => k === "factory")).toHaveLength(1);
  await enroll(options(world));
});

test("what Keyward did not put there is overwritten only after asking", async () => {
  const world = new World();
  const { held } = world.card;
  world.card.make("9a", held.management_key, false);
  Object.assign(world.card.slots.get("9a") ?? {}, { certificate: { serialNumber: "ff" } });
  await stops(enroll(options(world, { confirm: undefined })), "slot_occupied");
  await stops(enroll(options(world, { confirm: async () => false })), "declined");
  expect(world.card.slots.get("9a")?.certificate?.serialNumber).toBe("ff");
  await enroll(options(world));
  expect(world.card.slots.get("9a")?.certificate?.serialNumber).not.toBe("ff");
});

test("a key that was not made on the card is replaced, after asking", async () => {
  const world = new World();
  const key = world.card.make("9a", world.card.held.management_key, false);
  key.made = false;
  const asked: Question[] = [];
  await enroll(options(world, { confirm: async (q) => asked.push(q) > 0 }));
  expect(asked).toEqual([{ kind: "overwrite", slot: "9a", reason: "imported_key" }]);
  expect(world.card.slots.get("9a")?.key.made).toBe(true);
});

test("a card that was reset outside is enrolled again", async () => {
  const world = await enrolled();
  world.card.reset();
  await stops(renew(options(world)), "not_enrolled");
  await enroll(options(world));
});

test("the vault follows a card that went back to a former PIN", async () => {
  const world = await enrolled();
  const former = world.card.held.pin;
  await changePIN(options(world));
  world.card.held.pin = former;
  await renew(options(world));
  expect(world.vault.values.pin.current).toBe(former);
});

test("no key is made for a certificate that would not be issued", async () => {
  const world = new World();
  world.ready = false;
  const outcome = await stops(enroll(options(world)), "not_ready");
  expect(outcome.reasons).toEqual(["owner_missing"]);
  expect(world.card.slots.size).toBe(0);
});

test("the same request gets no second certificate", async () => {
  const world = await enrolled();
  await stops(renew(options(world), true), "same_certificate");
  const [first] = world.records;
  if (first) first.status = "revoked";
  const { certificate } = await renew(options(world), true);
  expect(certificate?.serialNumber).not.toBe(first?.serial_number);
});

test("nothing is done twice", async () => {
  const world = await enrolled();
  const line = new Line();
  const { unchanged } = await enroll(options(world, { ports: line.ports(world) }));
  expect(unchanged).toBe(true);
  expect(line.names.filter((n) => /^(set|rotate|generate|import|observe|enrolled|sign)/.test(n))).toEqual([]);
});

test("a decryption key is not renewed without a word", async () => {
  const world = new World();
  await enroll(options(world, { slot: "9d" }));
  await stops(renew(options(world, { slot: "9d", confirm: async () => false })), "declined");
  await renew(options(world, { slot: "9d" }));
});

test("the last try of a typed PIN is the person's to give", async () => {
  const world = await enrolled();
  world.card.held.pin = "86420135";
  world.card.left.pin = 1;
  await stops(recoverWithPIN(options(world, { confirm: async () => false }), "86420135"), "retries_low");
  expect(world.card.left.pin).toBe(1);
  await recoverWithPIN(options(world), "86420135");
  expect(world.card.held.pin).toBe(world.vault.values.pin.current);
});

test("a wrong typed PIN says how many tries are left, as they are then", async () => {
  const world = await enrolled();
  world.card.held.pin = "86420135";
  await stops(changePIN(options(world)), "unknown");
  world.card.left.pin = 3;
  const wrong = await stops(recoverWithPIN(options(world), "13131313"), "wrong_pin");
  expect(wrong.retriesLeft).toBe(world.card.left.pin);
});

test("who cancels stops before the next step, and can go on", async () => {
  const world = new World();
  const stop = new AbortController();
  const progress: Options["progress"] = (e) => e.step === "puk" && stop.abort();
  await expect(enroll(options(world, { signal: stop.signal, progress }))).rejects.toThrow(/abort/i);
  expect(world.card.held.management_key).toBe(world.vault.values.management_key.current);
  expect(world.vault.knows("puk", world.card.held.puk)).toBe(true);
  await enroll(options(world));
});
