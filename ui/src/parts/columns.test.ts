import { expect, it } from "vitest";
import { isShown, readChoice } from "./columns";

it("shows what is usual, and what somebody wants", () => {
  const usual = { id: "owner", header: "Owner", from: "sm" as const };
  const rare = { id: "added", header: "Added", from: "lg" as const, optional: true };
  const name = { id: "name", header: "Name" };
  const ids = (choice: Record<string, boolean>) =>
    [name, usual, rare].filter((c) => isShown(c, choice)).map((c) => c.id);
  expect(ids({})).toEqual(["name", "owner"]);
  expect(ids({ owner: false, added: true })).toEqual(["name", "added"]);
  expect(ids({ name: false })).toEqual(["name", "owner"]);
});

it.each([
  [null, {}],
  ["owner", {}],
  [{ owner: false, added: "yes" }, { owner: false }],
])("takes %j for %j", (value, choice) => {
  expect(readChoice(value)).toEqual(choice);
});
