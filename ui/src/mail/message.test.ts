import { expect, test } from "vitest";
import type { Message } from "./calls";
import { changesIn, nextAttempt, standingOf } from "./message";

const now = Date.parse("2026-05-04T12:00:00Z");
const message = (change: Partial<Message>): Message => ({
  id: 1,
  user: null,
  address: "ann@example.org",
  language: "en",
  message_id: "1@example.org",
  kind: "token_reset",
  status: "pending",
  attempts: 0,
  next_attempt_at: "2026-05-04T12:05:00Z",
  created_at: "2026-05-04T11:59:00Z",
  sent_at: null,
  error: "",
  reply: "",
  ...change,
});
const works = { enabled: true, standing: null };
const trouble = { since: "2026-05-04T11:00:00Z", error: "timeout", reply: "", next_attempt_at: "2026-05-04T12:01:00Z" };

test("what waits is pending first, and then retried", () => {
  expect(standingOf({ status: "pending", attempts: 0 })).toBe("pending");
  expect(standingOf({ status: "pending", attempts: 2 })).toBe("retrying");
  expect(standingOf({ status: "failed", attempts: 2 })).toBe("failed");
});

test("a next attempt is told where it is ahead, and mail goes out", () => {
  expect(nextAttempt(message({}), works, now)).toBe("2026-05-04T12:05:00Z");
  expect(nextAttempt(message({ next_attempt_at: "2026-05-04T11:59:00Z" }), works, now)).toBeNull();
  expect(nextAttempt(message({}), { ...works, standing: trouble }, now)).toBeNull();
  expect(nextAttempt(message({}), { ...works, enabled: false }, now)).toBeNull();
  expect(nextAttempt(message({ status: "sent" }), works, now)).toBeNull();
});

test("the list is asked again from the first attempt on, and not while all wait", () => {
  const rows = [message({}), message({ next_attempt_at: "2026-05-04T12:01:00Z" }), message({ status: "sent" })];
  expect(changesIn(rows, works, now)).toBe(60_000);
  expect(changesIn(rows, works, now + 70_000)).toBe(5000);
  expect(changesIn(rows, { ...works, standing: trouble }, now)).toBe(false);
  expect(changesIn(rows, { ...works, enabled: false }, now)).toBe(false);
  expect(changesIn([message({ status: "failed", next_attempt_at: null })], works, now)).toBe(false);
});
