import { describe, expect, it } from "vitest";
import { type Deed, type Entry, fold, reasonOf, storyOf } from "./fold";

let last = 0;
/** entry makes one some seconds after noon. */
function entry(second: number, action: string, more: Partial<Entry> = {}): Entry {
  last += 1;
  return {
    id: last,
    at: new Date(Date.parse("2026-11-29T12:00:00Z") + second * 1000).toISOString(),
    action,
    outcome: "success",
    actor_id: 3,
    actor: "mia",
    hostname: "desk",
    request_id: `request-${last}`,
    target_type: "hwkey",
    target_id: "10001",
    reason: "",
    details: "",
    ...more,
  } as Entry;
}
const story = (...list: Entry[]) => storyOf(only(fold(list)));
const certificate = (second: number, action: string, more: Partial<Entry> = {}) =>
  entry(second, action, { target_type: "certificate", target_id: "ab", details: "token 10001, slot 9a", ...more });
const ids = (deeds: Deed[]) => deeds.map((d) => d.map((e) => e.id));
const newest = (...list: Entry[]) => [...list].reverse();
const only = (deeds: Deed[]): Deed => {
  expect(deeds).toHaveLength(1);
  return deeds[0] as Deed;
};

describe("fold", () => {
  it("puts the steps of a flow together, and leaves what others did between them", () => {
    const [a, x, b, c] = [
      entry(0, "hwkey.secrets_released"),
      entry(1, "user.created", { actor_id: 1, actor: "admin", target_type: "user", target_id: "9" }),
      entry(2, "hwkey.rotation_started"),
      entry(60, "hwkey.rotation_committed"),
    ];
    expect(ids(fold(newest(a, x, b, c)))).toEqual([[c.id, b.id, a.id], [x.id]]);
    expect(ids(fold([a, x, b, c]))).toEqual([[a.id, b.id, c.id], [x.id]]);
  });
  it("keeps apart what begins anew after an end, after a pause, elsewhere, at another token, or by somebody else", () => {
    const list = [
      entry(0, "hwkey.secrets_released"),
      entry(1, "hwkey.rotation_committed"),
      entry(2, "hwkey.secrets_released"),
      entry(300, "hwkey.rotation_started"),
      entry(301, "hwkey.rotation_started", { hostname: "laptop" }),
      entry(302, "hwkey.rotation_started", { target_id: "10002" }),
      entry(303, "hwkey.rotation_started", { actor_id: 4, actor: "dave" }),
    ];
    expect(fold(list).map((d) => d.length)).toEqual([2, 1, 1, 1, 1, 1]);
  });
  it("puts the entries of a request together, but never what failed into a flow", () => {
    const one = { request_id: "one" };
    const list = [entry(0, "hwkey.assigned", one), entry(0, "hwkey.assigned", { ...one, target_id: "10002" })];
    expect(fold(list)).toHaveLength(1);
    const denied = entry(1, "hwkey.secrets_released", { outcome: "denied" });
    expect(fold([denied, entry(2, "hwkey.secrets_released")])).toHaveLength(2);
  });
  it("has every entry exactly once", () => {
    const list = Array.from({ length: 40 }, (_, i) =>
      entry(i * 7, i % 3 ? "hwkey.secrets_observed" : "hwkey.secrets_released", {
        target_id: `1000${i % 4}`,
        request_id: i % 5 ? `r${i}` : "",
      }),
    );
    const all = fold(newest(...list)).flat();
    expect(all.map((e) => e.id).sort((a, b) => a - b)).toEqual(list.map((e) => e.id));
  });
});

describe("storyOf", () => {
  it("tells of a set-up for whom it was", () => {
    const deed = only(
      fold([
        entry(0, "hwkey.secrets_released", { reason: "new here" }),
        certificate(5, "certificate.issued", { details: "token 10001, slot 9a, subject CN=anna, email a@b" }),
        certificate(6, "certificate.installed"),
        entry(7, "hwkey.enrolled"),
      ]),
    );
    expect(storyOf(deed)).toMatchObject({ what: "setUp", serial: "10001", owner: "anna" });
    expect(reasonOf(deed)).toBe("new here");
  });
  it("tells an unblocked PIN from a changed one, by the reason", () => {
    const rotation = (reason: string) =>
      only(
        fold([
          entry(1000, "hwkey.secrets_released", { reason }),
          entry(1001, "hwkey.rotation_started", { reason, details: "rotation 1, fields pin; session 3" }),
          entry(1002, "hwkey.rotation_committed", { details: "rotation 1, fields pin" }),
        ]),
      );
    expect(storyOf(rotation("ticket 4711")).what).toBe("pinUnblocked");
    expect(storyOf(rotation("")).what).toBe("pinChanged");
  });
  it("tells a renewal, a leaver and many of a kind", () => {
    const one = { request_id: "two" };
    const renewed = [
      entry(2000, "hwkey.secrets_released"),
      certificate(2001, "certificate.issued"),
      certificate(2002, "certificate.installed", one),
      certificate(2002, "certificate.revoked", { ...one, reason: "superseded" }),
    ];
    expect(storyOf(only(fold(renewed))).what).toBe("renewed");
    expect(reasonOf(only(fold(renewed)))).toBe("");
    const about = { request_id: "three", target_type: "user", target_id: "6" };
    const left = [
      entry(3000, "user.disabled", about),
      entry(3000, "user.updated", { ...about, details: "1 tokens suspended" }),
      entry(3000, "user.updated", { ...about, details: "2 certificates revoked" }),
    ];
    expect(storyOf(only(fold(left)))).toMatchObject({ what: "left", tokens: 1, certificates: 2 });
    const many = [entry(4000, "hwkey.assigned", one), entry(4000, "hwkey.assigned", { ...one, target_id: "2" })];
    expect(storyOf(only(fold(many)))).toMatchObject({ what: "same", main: { action: "hwkey.assigned" } });
  });
});

it("never folds a token's return into its next set-up", () => {
  const one = { request_id: "one" };
  const list = [
    entry(0, "hwkey.assigned", { ...one, details: "owner removed" }),
    entry(0, "hwkey.reset", one),
    entry(20, "hwkey.secrets_released"),
    entry(30, "hwkey.enrolled"),
  ];
  expect(fold(newest(...list)).map((d) => storyOf(d).what)).toEqual(["setUp", "takenBack"]);
});

describe("the story of who has a token, and how it stands", () => {
  const one = { request_id: "one" };
  it("says what changed, not that something did", () => {
    expect(
      story(entry(0, "hwkey.status_changed", { details: "from active to suspended: the owner's account is disabled" })),
    ).toMatchObject({
      what: "status",
      from: "active",
      to: "suspended",
    });
    expect(
      story(entry(0, "hwkey.assigned", { details: "owner is now jane; the token has to be reset" })),
    ).toMatchObject({ what: "assignedTo", owner: "jane" });
  });
  it("knows what an API key did, too", () => {
    const details = "from active to lost; by API key 7";
    expect(story(entry(0, "hwkey.status_changed", { details }))).toMatchObject({ what: "status", to: "lost" });
  });
  it("never calls an owner's removal an assignment", () => {
    const removed = (more = {}) => entry(0, "hwkey.assigned", { ...one, details: "owner removed", ...more });
    const revoked = certificate(0, "certificate.revoked", one);
    expect(story(removed()).what).toBe("ownerRemoved");
    expect(story(removed({ details: "owner removed; the token has to be reset" }), revoked).what).toBe("ownerRemoved");
    expect(story(removed(), entry(0, "hwkey.reset", one), revoked).what).toBe("takenBack");
    expect(story(entry(0, "hwkey.reset", one), revoked).what).toBe("reset");
  });
  it("tells a change of status that revoked the certificates by its statuses", () => {
    const one = { request_id: "lost" };
    const lost = [
      certificate(5000, "certificate.revoked", { ...one, reason: "keyCompromise" }),
      entry(5000, "hwkey.status_changed", { ...one, details: "from active to lost" }),
    ];
    expect(storyOf(only(fold(lost)))).toMatchObject({ what: "status", from: "active", to: "lost" });
  });
});
