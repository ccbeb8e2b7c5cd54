import { expect, test } from "vitest";
import { fromAddress } from "../parts/columns";
import { viewOf } from "./queries";

test("a view has the filters, the order and the columns, and no place in the list", () => {
  const search = { firmware: "<5.7.0", sort: "serial", page: 3, after: "x", rows: 50, person: 7, q: undefined };
  expect(viewOf(search, "registered,-label")).toEqual({
    firmware: "<5.7.0",
    sort: "serial",
    columns: "registered,-label",
  });
  expect(viewOf({ columns: "email" }, "")).toEqual({});
});

test("an address says which columns are shown and hidden", () => {
  expect(fromAddress("registered,-label")).toEqual({ registered: true, label: false });
  expect(fromAddress(undefined)).toBeUndefined();
});
