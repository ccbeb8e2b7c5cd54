import { expect, it } from "vitest";
import { csvLine } from "./csv";

it("writes what there is, and nothing for what there is not", () => {
  expect(csvLine(["a", 1, true, null, undefined, "", ["b", "c"]])).toBe("a,1,true,,,,b c\r\n");
});

// As internal/audit/line has it.
it.each([
  ["=1+1", "'=1+1"],
  ["+1", "'+1"],
  ["-1", "'-1"],
  ["@SUM(A1)", "'@SUM(A1)"],
  ["＝1+1", "'＝1+1"],
  ["＠SUM(A1)", "'＠SUM(A1)"],
  ["a;＝1", '"a;\'＝1"'],
  ["a＝1", "a＝1"],
  ["=ticket; 1", '"\'=ticket; 1"'],
  ['-2, "three";=4', '"\'-2, ""three"";\'=4"'],
  ["\t=1", "\"'\t'=1\""],
  ["a\r\n=1", '"a\r\n\'=1"'],
  ['a;"\'" =1', '"a;""\'"" =1"'],
  [";=1", '";\'=1"'],
  [" a", '" a"'],
])("%j becomes %j", (text, written) => {
  expect(csvLine([text])).toBe(`${written}\r\n`);
});
