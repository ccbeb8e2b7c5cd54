import { expect, test } from "vitest";
import { lines } from "./verifying";

test("lines come whole, however the answer is cut", () => {
  const read = lines();
  expect(read('{"checked":1,"of":3}\n{"che')).toEqual([{ checked: 1, of: 3 }]);
  expect(read('cked":2,"of"')).toEqual([]);
  expect(read(':3}\n\n{"checked":3,"of":3}\n')).toEqual([
    { checked: 2, of: 3 },
    { checked: 3, of: 3 },
  ]);
});
