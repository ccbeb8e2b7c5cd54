import { expect, test } from "vitest";
import { mostBytes, unfitOf } from "./file";

test("what may be a license is for the server to judge, and all else is none", () => {
  for (const content of ["{}", ' {"license":{}}\r\n', '{"license":{},"license":{}}'])
    expect(unfitOf(content)).toBeNull();
  for (const content of ["", "a license", "[]", "null", '"{}"', "7", '{"license":', "{} {}"]) {
    expect(unfitOf(content), content).toBe("malformed");
  }
});

test("a file is measured in bytes", () => {
  const filled = (letter: string, times: number) => JSON.stringify({ a: letter.repeat(times) });
  const frame = filled("", 0).length;
  expect(unfitOf(filled("x", mostBytes - frame))).toBeNull();
  expect(unfitOf(filled("x", mostBytes - frame + 1))).toBe("tooBig");
  expect(unfitOf(filled("ä", (mostBytes - frame) / 2 + 1))).toBe("tooBig");
});
