import { expect, test } from "vitest";
import { readOrder } from "./order";

const address = (values: Record<string, string>) => (name: string) => values[name];

test("what ends soon comes by its end, all else the newest first, unless the address says otherwise", () => {
  expect(readOrder(address({}), {})).toBe("-issued");
  expect(readOrder(address({}), { show: "revoked" })).toBe("-issued");
  expect(readOrder(address({}), { show: "30" })).toBe("not_after");
  expect(readOrder(address({ sort: "-issued" }), { show: "30" })).toBe("-issued");
  expect(readOrder(address({ sort: "serial_number" }), {})).toBe("-issued");
});
