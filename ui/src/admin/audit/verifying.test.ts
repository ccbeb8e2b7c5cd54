import { expect, test } from "vitest";
import { findingOf, lines } from "./verifying";

test("lines come whole, however the answer is cut", () => {
  const read = lines();
  expect(read('{"checked":1,"of":3}\n{"che')).toEqual([{ checked: 1, of: 3 }]);
  expect(read('cked":2,"of"')).toEqual([]);
  expect(read(':3}\n\n{"checked":3,"of":3}\n')).toEqual([
    { checked: 2, of: 3 },
    { checked: 3, of: 3 },
  ]);
});

test("what a verification says of an entry", () => {
  const found = (id: number, ...entries: number[]) => {
    const findings = entries.map((entry) => ({ entry, detail: "hash" }));
    const result = { ok: findings.length === 0, findings } as unknown as Parameters<typeof findingOf>[1]["result"];
    return findingOf(id, { result, ended: "", upTo: 10 });
  };
  expect(found(10)).toBe("intact");
  expect(found(11)).toBeNull();
  expect(found(7, 7)).toBe("named");
  expect(found(8, 7)).toBe("bad");
});
