import { expect, it } from "vitest";
import { Cancelled } from "../session/line";
import { Attempts } from "./attempt";

/** later is a task that ends when it is told to. */
function later() {
  let resolve = () => {};
  const promise = new Promise<void>((end) => {
    resolve = end;
  });
  return { promise, resolve };
}

it("is busy while the task goes on, and does nothing else meanwhile", async () => {
  const attempts = new Attempts();
  const seen: boolean[] = [];
  attempts.subscribe(() => seen.push(attempts.snapshot().busy));
  const task = later();
  let begun = 0;
  const begin = () => {
    begun++;
    return task.promise;
  };
  const first = attempts.run(begin);
  await attempts.run(begin);
  expect(begun).toBe(1);
  expect(attempts.snapshot().busy).toBe(true);
  task.resolve();
  await first;
  expect(seen).toEqual([true, false]);
  await attempts.run(begin);
  expect(begun).toBe(2);
});

it("keeps what went wrong until the next task", async () => {
  const attempts = new Attempts();
  const error = new Error("no");
  await attempts.run(() => Promise.reject(error));
  expect(attempts.snapshot()).toMatchObject({ busy: false, problem: error });
  const next = attempts.run(() => Promise.resolve());
  expect(attempts.snapshot()).toMatchObject({ busy: true, problem: null });
  await next;
  await attempts.run(() => {
    throw error;
  });
  expect(attempts.snapshot()).toMatchObject({ busy: false, problem: error });
  attempts.clear();
  expect(attempts.snapshot()).toMatchObject({ busy: false, problem: null });
});

it("says nothing when somebody would not confirm who they are", async () => {
  const attempts = new Attempts();
  await attempts.run(() => Promise.reject(new Cancelled("not confirmed")));
  expect(attempts.snapshot()).toMatchObject({ busy: false, problem: null });
});

it("tells nothing to whoever is gone", async () => {
  const attempts = new Attempts();
  let told = 0;
  const leave = attempts.subscribe(() => told++);
  const task = later();
  const run = attempts.run(() => task.promise);
  leave();
  task.resolve();
  await run;
  expect(told).toBe(1);
});

/** sent is the event of a form with these fields that must not stay empty. */
function sent(required: object[], preventDefault = () => {}) {
  const form = { querySelectorAll: () => required };
  return { preventDefault, currentTarget: form } as unknown as Parameters<ReturnType<Attempts["submit"]>>[0];
}

it("begins nothing while something is missing, and shows where", () => {
  const attempts = new Attempts();
  let focused = 0;
  const fields = [{ value: "x" }, { value: " ", focus: () => focused++ }];
  attempts.submit(() => Promise.resolve())(sent(fields));
  expect(focused).toBe(1);
  expect(attempts.snapshot()).toMatchObject({ busy: false, unfilled: true });
  fields[1] = { value: "y", focus: () => 0 };
  attempts.submit(() => Promise.resolve())(sent(fields));
  expect(attempts.snapshot()).toMatchObject({ busy: true, unfilled: false });
});

it("takes a form's event", () => {
  const attempts = new Attempts();
  let prevented = 0;
  const event = sent([{ value: "x" }], () => prevented++);
  attempts.submit(() => Promise.resolve())(event);
  expect(prevented).toBe(1);
  expect(attempts.snapshot().busy).toBe(true);
});
