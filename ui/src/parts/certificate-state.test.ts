import { expect, test } from "vitest";
import { certificateState } from "./certificate-state";

const now = Date.parse("2026-06-01T00:00:00Z");
const live = {
  not_before: "2026-01-01T00:00:00Z",
  not_after: "2027-06-01T00:00:00Z",
  installed_at: "2026-05-01T00:00:00Z",
  status: "issued" as const,
};

test("a certificate's state is what a person has to know of it", () => {
  expect(certificateState(live, now)).toBe("issued");
  expect(certificateState({ ...live, not_after: "2026-06-30T23:00:00Z" }, now)).toBe("expiring");
  expect(certificateState({ ...live, not_after: "2026-07-02T00:00:00Z" }, now)).toBe("issued");
  expect(certificateState({ ...live, installed_at: null }, now)).toBe("unconfirmed");
  expect(certificateState({ ...live, status: "revoked", installed_at: null }, now)).toBe("revoked");
});

test("time passes while a page stands open", () => {
  expect(certificateState({ ...live, not_after: "2026-06-01T00:00:00Z" }, now)).toBe("expired");
});
