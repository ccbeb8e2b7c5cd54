import { expect, test } from "vitest";
import { readFilters, toQuery } from "./show";

const address = (values: Record<string, string>) => (name: string) => values[name];

test("an address gives the filters that make sense", () => {
  expect(readFilters(address({ q: "carol", show: "30", token: "30260001", organization: "7" }))).toEqual({
    q: "carol",
    show: "30",
    token: "30260001",
    organization: 7,
  });
  expect(readFilters(address({ show: "0", week: "2026-13-01", token: "../x", organization: "-1" }))).toEqual({});
});

test("ending soon is about certificates that are still valid", () => {
  const now = Date.parse("2026-11-21T15:00:00Z");
  expect(toQuery({ show: "30" }, now)).toEqual({ status: "issued", expires_before: "2026-12-21T15:00:00.000Z" });
  expect(toQuery({ show: "revoked", token: "30260001", organization: 2 }, now)).toEqual({
    status: "revoked",
    hwkey_serial: "30260001",
    organization_id: 2,
  });
  expect(toQuery({ show: "unconfirmed" }, now)).toEqual({ status: "issued", installed: false });
  expect(toQuery({ show: "lapsed" }, now)).toEqual({ lapsed: true });
  expect(toQuery({ show: "unattested" }, now)).toEqual({ status: "issued", attested: false });
  expect(toQuery(readFilters(address({ week: "2026-11-23" })), now)).toEqual({
    status: "issued",
    expires_from: "2026-11-23T00:00:00.000Z",
    expires_before: "2026-11-30T00:00:00.000Z",
  });
  expect(toQuery({}, now)).toEqual({});
});
