import { expect, test } from "vitest";
import { standing } from "./standing";

test("a delivery that has failed before is being retried, not on its first way", () => {
  expect(standing({ status: "pending", attempts: 0 })).toBe("pending");
  expect(standing({ status: "pending", attempts: 3 })).toBe("retrying");
  expect(standing({ status: "failed", attempts: 8 })).toBe("failed");
  expect(standing({ status: "delivered", attempts: 2 })).toBe("delivered");
});
