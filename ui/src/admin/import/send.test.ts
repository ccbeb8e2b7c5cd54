import { expect, test } from "vitest";
import { quoted, template } from "./send";

test("cells are quoted where CSV needs it", () => {
  expect([quoted("Acme"), quoted("Acme, Inc."), quoted('The "A"')]).toEqual(["Acme", '"Acme, Inc."', '"The ""A"""']);
});

test("the template has as many cells as columns", async () => {
  const lines = (await template("Acme").text()).trim().split("\n");
  expect(lines.map((line) => line.split(",").length)).toEqual([7, 7]);
});
