import { expect, test } from "vitest";
import errors from "../../../api/errors.json";
import type { Schema } from "../api/client";
import de from "../text/de";
import en from "../text/en";
import { aboutOf } from "./about";

const event = (more: Partial<Schema<"LicenseEvent">>): Schema<"LicenseEvent"> => ({
  id: 1,
  at: "2026-11-23T00:00:00Z",
  operation: "upload",
  outcome: "rejected",
  actor: "admin",
  message: "the server's own words",
  reason: "",
  license_summary: null,
  ...more,
});
const dayOf = (at: string) => `<${at}>`;

test("each refusal is told in the person's language", () => {
  const reasons = errors.problems.flatMap((s) => (s.code === "license_rejected" ? [s.reason ?? ""] : []));
  expect(reasons.length).toBe(6);
  for (const words of [en, de]) {
    const said = reasons.map((reason) => aboutOf(event({ reason }), words.license.history, dayOf));
    expect(said).not.toContain("the server's own words");
    expect(new Set(said).size).toBe(reasons.length);
  }
});

test("what a later server wrote stays in its words", () => {
  expect(aboutOf(event({ reason: "too_green" }), de.license.history, dayOf)).toBe("the server's own words");
});

test("a license is told by whose it is, and whether it took a newer one's place", () => {
  const license_summary = {
    installation_id: "id",
    customer_name: "Example Ltd",
    customer_email: "it@example.com",
    license_type: "enterprise",
    issue_date: "2026-01-01T00:00:00Z",
    expiry_date: "2027-01-01T00:00:00Z",
  };
  const about = (reason: string) =>
    aboutOf(event({ outcome: "success", license_summary, reason }), en.license.history, dayOf);
  expect(about("")).toBe("Example Ltd, enterprise, valid until <2027-01-01T00:00:00Z>");
  expect(about("replace_newer")).toBe(`${about("")}; allowed to replace a newer one`);
});
