import { describe, expect, it, vi } from "vitest";
import type { Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { changeMany } from "./bulk";

vi.mock("../../session/recent", () => ({ Cancelled: class Cancelled extends Error {} }));

type Result = Schema<"BulkResult">;
const done = (serial: string): Result => ({ serial, result: "updated" });
const wanting = (serial: string): Result => ({
  serial,
  result: "failed",
  code: "reauthentication_required",
  detail: "Confirm.",
});

/** asking repeats a task once, as a person does who confirms. */
const asking = async <T>(task: () => Promise<T>): Promise<T> => {
  try {
    return await task();
  } catch (error) {
    if (!isProblem(error, "reauthentication_required")) throw error;
  }
  return task();
};

describe("changeMany", () => {
  it("sends only the rows again that want a recent sign-in", async () => {
    const sent: string[][] = [];
    const results = await changeMany(
      { serials: ["1", "2", "3"], owner_id: 7 },
      async ({ serials }) => {
        sent.push(serials);
        return sent.length === 1 ? [done("1"), wanting("2"), done("3")] : [done("2")];
      },
      asking,
    );
    expect(sent).toEqual([["1", "2", "3"], ["2"]]);
    expect(results).toEqual([done("1"), done("2"), done("3")]);
  });

  it("leaves them failed for whoever does not confirm", async () => {
    const { Cancelled } = await import("../../session/recent");
    const results = await changeMany(
      { serials: ["1", "2"], owner_id: 7 },
      async () => [done("1"), wanting("2")],
      (task) =>
        task().catch(() => {
          throw new Cancelled("no");
        }),
    );
    expect(results).toEqual([done("1"), wanting("2")]);
  });

  it("sends many in parts, tells how far it is, and goes on where a request was lost", async () => {
    const serials = Array.from({ length: 250 }, (_, i) => String(i));
    const results = new Map<string, Result>();
    const told: number[] = [];
    const sent: number[] = [];
    const send = async (body: Schema<"BulkInputBody">) => {
      sent.push(body.serials.length);
      if (sent.length === 2) throw new Error("lost");
      return body.serials.map(done);
    };
    const change = () => changeMany({ serials, status: "suspended" }, send, asking, results, (n) => told.push(n));
    await expect(change()).rejects.toThrow("lost");
    expect(await change()).toHaveLength(250);
    expect(sent).toEqual([100, 100, 100, 50]);
    expect(told).toEqual([100, 200, 250]);
  });

  it("passes on what failed as a whole", async () => {
    const lost = new Error("lost");
    await expect(changeMany({ serials: ["1"] }, () => Promise.reject(lost), asking)).rejects.toBe(lost);
  });
});
