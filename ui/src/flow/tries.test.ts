import { beforeAll, expect, test } from "vitest";
import { changePIN, enroll, isOutcome, type Options, recoverWithPIN } from ".";
import { Cut, Line } from "./model/cut";
import { agentKey, World } from "./model/world";
import type { Question } from "./types";

// What the person knows, and the vault does not.
const foreign = "86420135";

beforeAll(() => {
  agentKey(); // takes seconds
}, 60_000);

/** asking gives the options of somebody who answers every question alike, and what was asked. */
function asking(world: World, yes: boolean, line = new Line()): Options & { asked: Question[] } {
  const asked: Question[] = [];
  const confirm = async (q: Question) => {
    asked.push(q);
    return yes;
  };
  return { serial: world.serial, ports: line.ports(world), confirm, asked };
}

/** strange is a token whose PIN was changed outside, after changes that left former PINs on record. */
async function strange(changes: number, tells = true): Promise<World> {
  const world = new World({ tells });
  await enroll(asking(world, true));
  for (let i = 0; i < changes; i++) await changePIN(asking(world, true));
  world.card.held.pin = foreign;
  return world;
}

for (const tells of [true, false]) {
  for (const changes of [0, 1, 2]) {
    const where = `${changes} former PINs, firmware that ${tells ? "tells" : "does not tell"} its counters`;

    test(`a PIN that is none on record keeps two tries for the person: ${where}`, async () => {
      const world = await strange(changes, tells);
      for (let i = 0; i < 4; i++) {
        await expect(changePIN(asking(world, false))).rejects.toThrow();
        expect(world.card.left.pin, `after attempt ${i + 1}`).toBe(2);
      }
      // Who agrees spends one more, and the last one never.
      for (let i = 0; i < 3; i++) await expect(changePIN(asking(world, true))).rejects.toThrow();
      expect(world.card.left.pin).toBe(1);
    });

    test(`after that the person may mistype once: ${where}`, async () => {
      const world = await strange(changes, tells);
      await expect(changePIN(asking(world, false))).rejects.toThrow();
      const wrong = await recoverWithPIN(asking(world, false), "13131313").catch((e: unknown) => e);
      expect(isOutcome(wrong, "wrong_pin") && wrong.retriesLeft).toBe(1);
      expect(world.card.left.pin).toBe(1);
      const { asked, ...last } = asking(world, true);
      await recoverWithPIN(last, foreign);
      expect(asked).toEqual([{ kind: "another_try", field: "pin", last: true }]);
      expect(world.card.held.pin).toBe(world.vault.values.pin.current);
    });
  }
}

test("the doubt ends where the card holds a value on record again", async () => {
  const world = await strange(0);
  await expect(changePIN(asking(world, false))).rejects.toThrow();
  world.card.held.pin = world.vault.values.pin.current; // changed back by whoever changed it
  world.card.left.pin = 3;
  for (let i = 0; i < 2; i++) {
    const { asked, ...options } = asking(world, false);
    await changePIN(options);
    expect(asked).toEqual([]);
    world.card.left.pin = 2;
  }
});

test("a change that was cut is settled without asking, though a try was lost before", async () => {
  for (const [left, after] of [
    [3, false],
    [3, true],
    [2, false],
  ] as const) {
    const world = new World();
    await enroll(asking(world, true));
    await changePIN(asking(world, true)); // leaves a former PIN as a third candidate
    const whole = new Line();
    const measured = new World();
    await enroll(asking(measured, true));
    await changePIN(asking(measured, true, whole));
    const line = new Line(whole.names.indexOf("setPin"), after);
    await expect(changePIN(asking(world, true, line))).rejects.toThrow(Cut);
    world.card.left.pin = left;
    const { asked, ...options } = asking(world, false);
    await changePIN(options);
    expect(asked).toEqual([]);
    expect(world.card.held.pin).toBe(world.vault.values.pin.current);
  }
});

test("a reset that never reached the card is noticed by its other secrets", async () => {
  const world = new World();
  await enroll(asking(world, true));
  world.vault.reset();
  world.enrolledAt = null;
  const { asked, ...options } = asking(world, false);
  await enroll({ ...options, slot: "9c" });
  expect(asked).toEqual([]);
  expect(world.card.held.pin).toBe(world.vault.values.pin.current);
});

test("a PIN on record that the person chooses again is found after a lost answer, whatever was doubted", async () => {
  const attempt = async (line: Line) => {
    const world = await strange(0);
    await expect(changePIN(asking(world, false))).rejects.toThrow();
    const run = (l: Line) => recoverWithPIN(asking(world, true, l), foreign, world.vault.values.pin.current);
    return { world, run, first: run(line) };
  };
  const whole = new Line();
  await (await attempt(whole)).first;
  const { world, run, first } = await attempt(new Line(whole.names.indexOf("setPin"), true));
  await expect(first).rejects.toThrow(Cut);
  await run(new Line());
  expect(world.card.held.pin).toBe(world.vault.values.pin.current);
});

test("a mistyped PIN does not end the doubt", async () => {
  const world = await strange(0);
  await expect(changePIN(asking(world, false))).rejects.toThrow();
  world.card.left.pin = 3;
  const onRecord = world.vault.values.pin.current;
  await expect(recoverWithPIN(asking(world, false), "13131313", onRecord)).rejects.toThrow();
  expect(world.card.left.pin).toBe(2);
  await expect(changePIN(asking(world, false))).rejects.toThrow();
  expect(world.card.left.pin).toBe(2);
});

for (const tells of [true, false]) {
  test(`a set-up keeps a PIN that the person may know, firmware that ${tells ? "tells" : "does not tell"}`, async () => {
    const world = await strange(1, tells);
    for (let i = 0; i < 3; i++) {
      const error = await enroll(asking(world, false)).catch((e: unknown) => e);
      expect(isOutcome(error, "retries_low", "unknown")).toBe(true);
      expect(world.card.held.pin).toBe(foreign);
      expect(world.card.left.pin).toBe(2);
    }
    world.card.left.pin = 1; // nobody can be sure to type it: the PUK sets it
    await enroll(asking(world, false));
    expect(world.card.held.pin).toBe(world.vault.values.pin.current);
  });
}

test("a PIN that is blocked is called blocked, doubted or not", async () => {
  const world = await strange(1);
  await expect(changePIN(asking(world, false))).rejects.toThrow();
  world.card.left.pin = 0;
  const error = await changePIN(asking(world, false)).catch((e: unknown) => e);
  expect(isOutcome(error, "pin_blocked")).toBe(true);
});

test("a yes is for one try, and what that one found is taken note of", async () => {
  const world = await strange(1);
  await expect(changePIN(asking(world, false))).rejects.toThrow();
  expect(world.card.left.pin).toBe(2);
  const before = world.vault.values.pin.fruitless;
  await expect(changePIN(asking(world, true))).rejects.toThrow();
  expect(world.card.left.pin).toBe(1);
  expect(world.vault.values.pin.fruitless).toBe(before + 1);
});
