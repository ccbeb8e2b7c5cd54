import { expect, test } from "vitest";
import de from "../text/de";
import { reasonOf, whatOf } from "./reason";

const reasons = de.certificates.revoke.reasons;

test("the reason of a revocation is said in words, any other stands as it was typed", () => {
  expect(reasonOf({ action: "certificate.revoked", reason: "superseded" }, reasons)).toBe(reasons.superseded.name);
  expect(reasonOf({ action: "certificate.revoked", reason: "constructor" }, reasons)).toBe("constructor");
  expect(reasonOf({ action: "hwkey.secrets_released", reason: "superseded" }, reasons)).toBe("superseded");
});

test("what the details of an entry add is said in words", () => {
  const what = (action: string, details: string) => whatOf({ action, details }, de);
  expect(what("hwkey.status_changed", "from assigned to in_stock")).toBe(": Zugewiesen → Im Bestand");
  expect(what("hwkey.status_changed", "from constructor to x")).toBe(": constructor → x");
  expect(what("hwkey.assigned", "owner is now carol; the token has to be reset")).toBe(": carol");
  expect(what("certificate.issued", "token 20260001, slot 9c, RSA2048")).toBe(" · 9c");
  expect(what("hwkey.updated", "description changed")).toBe("");
});
