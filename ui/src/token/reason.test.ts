import { expect, test } from "vitest";
import { type Entry, fold } from "../admin/audit/fold";
import de from "../text/de";
import { deedOf, reasonOf } from "./reason";

const reasons = de.certificates.revoke.reasons;

test("the reason of a revocation is said in words, any other stands as it was typed", () => {
  expect(reasonOf({ action: "certificate.revoked", reason: "superseded" }, reasons)).toBe(reasons.superseded.name);
  expect(reasonOf({ action: "certificate.revoked", reason: "constructor" }, reasons)).toBe("constructor");
  expect(reasonOf({ action: "hwkey.secrets_released", reason: "superseded" }, reasons)).toBe("superseded");
});

const entry = (id: number, action: string, more: Partial<Entry> = {}) =>
  ({
    id,
    at: new Date(id * 1000).toISOString(),
    action,
    outcome: "success",
    actor_id: 3,
    actor: "mia",
    hostname: "desk",
    request_id: "",
    target_type: "hwkey",
    target_id: "20260001",
    reason: "",
    details: "",
    ...more,
  }) as Entry;

test("what happened to a token is said in words, several steps as what they amount to", () => {
  const said = (...entries: Entry[]) => fold(entries).map((deed) => deedOf(deed, de));
  expect(said(entry(1, "hwkey.status_changed", { details: "from assigned to in_stock" }))).toEqual([
    "Status des Tokens: Zugewiesen → Im Bestand",
  ]);
  expect(said(entry(1, "hwkey.updated", { details: "description changed" }))).toEqual([
    de.tokens.events["hwkey.updated"],
  ]);
  const slot = { target_type: "certificate", target_id: "ab", details: "token 20260001, slot 9c, RSA2048" };
  expect(said(entry(1, "certificate.issued", slot))).toEqual([`${de.tokens.events["certificate.issued"]} · 9c`]);
  const unblocked = [
    entry(1, "hwkey.secrets_released", { reason: "ticket 4711" }),
    entry(2, "hwkey.rotation_started", { details: "rotation 1, fields pin" }),
    entry(3, "hwkey.rotation_committed", { details: "rotation 1, fields pin" }),
  ];
  expect(said(...unblocked)).toEqual([de.audit.deeds.pinUnblocked]);
});
