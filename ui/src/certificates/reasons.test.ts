import { expect, it } from "vitest";
import { reasonsFor } from "./reasons";

it("offers reasons that fit the person who chooses", () => {
  expect(reasonsFor("user")).toEqual(["unspecified", "keyCompromise", "superseded", "cessationOfOperation"]);
  expect(reasonsFor("org_manager")).toContain("privilegeWithdrawn");
  expect(reasonsFor("org_manager")).not.toContain("cACompromise");
  expect(reasonsFor("global_admin")).toHaveLength(8);
});
