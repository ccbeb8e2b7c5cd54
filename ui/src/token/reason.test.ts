import { expect, test } from "vitest";
import de from "../text/de";
import { reasonOf } from "./reason";

const reasons = de.certificates.revoke.reasons;

test("the reason of a revocation is said in words, any other stands as it was typed", () => {
  expect(reasonOf({ action: "certificate.revoked", reason: "superseded" }, reasons)).toBe(reasons.superseded.name);
  expect(reasonOf({ action: "certificate.revoked", reason: "constructor" }, reasons)).toBe("constructor");
  expect(reasonOf({ action: "hwkey.secrets_released", reason: "superseded" }, reasons)).toBe("superseded");
});
