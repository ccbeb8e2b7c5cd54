import { expect, test } from "vitest";
import type { Schema } from "../../api/client";
import { everything } from "../../parts/everything";
import { enableMany } from "./enable";

test("all that match are asked for, whatever the number of pages", async () => {
  const pages: Record<string, { items: number[]; next: string | null }> = {
    "": { items: [1, 2], next: "b" },
    b: { items: [3], next: "c" },
    c: { items: [], next: null },
  };
  const asked: string[] = [];
  const found = await everything(async (cursor = "") => {
    asked.push(cursor);
    const page = pages[cursor];
    return { items: (page?.items ?? []).map((id) => ({ id }) as Schema<"User">), next_cursor: page?.next ?? null };
  });
  expect(found.map((u) => u.id)).toEqual([1, 2, 3]);
  expect(asked).toEqual(["", "b", "c"]);
});

test("many are enabled in parts, and it ends where one is refused", async () => {
  const ids = Array.from({ length: 450 }, (_, i) => i + 1);
  const parts: number[][] = [];
  const send = async (part: number[]) => {
    parts.push(part);
    if (part.includes(401) && parts.length < 4) throw new Error("refused");
    return { enabled: part.length, unchanged: 0 };
  };
  await expect(enableMany(ids, send)).rejects.toThrow("refused");
  expect(parts.map((part) => part.length)).toEqual([200, 200, 50]);
  expect(await enableMany(ids.slice(400), send)).toBe(50);
  expect(await enableMany([], send)).toBe(0);
});
