import { expect, test } from "vitest";
import { leftToRevoke } from "./left";

test("a compromise can be told after the certificate's end, once", () => {
  const left = (status: "issued" | "expired" | "revoked", revocation_reason: string | null = null) =>
    leftToRevoke({ status, revocation_reason });
  expect(left("issued")).toBe("certificate");
  expect(left("expired")).toBe("key");
  expect(left("revoked", "superseded")).toBe("key");
  expect(left("revoked", "keyCompromise")).toBeNull();
});
