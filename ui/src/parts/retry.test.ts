import { expect, it } from "vitest";
import { Problem } from "../api/problem";
import { retry } from "./retry";

const limited = (seconds: string | null) => new Problem(429, { code: "rate_limited" }, seconds);

it("asks again when the server says so, and as late as it says", async () => {
  const answers = [limited("7"), limited(null)];
  const waited: number[] = [];
  const ask = async () => {
    const refusal = answers.shift();
    if (refusal) throw refusal;
    return "there";
  };
  expect(await retry(ask, async (ms) => void waited.push(ms))).toBe("there");
  expect(waited).toEqual([7000, 1000]);
});

it("passes on every other refusal", async () => {
  const locked = new Problem(429, { code: "account_locked" }, "900");
  await expect(retry(() => Promise.reject(locked))).rejects.toBe(locked);
});
