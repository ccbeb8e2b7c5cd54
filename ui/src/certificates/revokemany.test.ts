import { describe, expect, it } from "vitest";
import { Problem } from "../api/problem";
import type { Certificate } from "./queries";
import { type Fate, revokeMany } from "./revokemany";

const some = ["a", "b", "c"].map((serial_number) => ({ serial_number }) as Certificate);
const fates = (all: Fate[]) => all.map((f) => (f.fate instanceof Problem ? f.fate.code : f.fate));

describe("revokeMany", () => {
  it("tells what became of each, and how far it is", async () => {
    const told: number[] = [];
    const revoke = async (serial: string) => {
      if (serial === "a") throw new Problem(409, { code: "conflict" });
      if (serial === "b") throw new Problem(404, { code: "not_found" });
    };
    const all = await revokeMany(some, revoke, new Map(), (n) => told.push(n));
    expect(fates(all)).toEqual(["already", "not_found", "revoked"]);
    expect(told).toEqual([1, 2, 3]);
  });

  it("goes on from where an answer was lost", async () => {
    const kept = new Map<string, Fate>();
    const asked: string[] = [];
    const revoke = async (serial: string) => {
      asked.push(serial);
      if (asked.length === 2) throw new Error("lost");
    };
    const begin = () => revokeMany(some, revoke, kept, () => {});
    await expect(begin()).rejects.toThrow("lost");
    expect(fates(await begin())).toEqual(["revoked", "revoked", "revoked"]);
    expect(asked).toEqual(["a", "b", "b", "c"]);
  });

  it("ends with the session, and leaves the rest untouched", async () => {
    const kept = new Map<string, Fate>();
    const ended = new Problem(401, { code: "session_not_found" });
    await expect(
      revokeMany(
        some,
        () => Promise.reject(ended),
        kept,
        () => {},
      ),
    ).rejects.toBe(ended);
    expect(kept.size).toBe(0);
  });
});
