import { expect, test } from "vitest";
import { tokens } from "../text/en/tokens";
import { released } from "./released";

const words = tokens.page.releases;
const none = { count: 0, on_record: true, lost: 0, missing: [], changed: [], damaged: false };

test("what is on record is said in a line", () => {
  expect(released(none, words)).toEqual({ wrong: false, line: words.none, more: [] });
  expect(released({ ...none, count: 1 }, words).line).toBe("Secrets retrieved once; logged");
  expect(released({ ...none, count: 3 }, words).line).toBe("Secrets retrieved 3 times; all logged");
});

test("what an older database lacked is not called on record", () => {
  expect(released({ ...none, count: 3, lost: 2 }, words)).toEqual({
    wrong: false,
    line: "Secrets retrieved 3 times",
    more: ["2 of them are missing from the audit log: an older database was accepted."],
  });
  expect(released({ ...none, count: 1, lost: 1 }, words).more).toEqual([words.lost(1, 1)]);
});

test("what does not agree is named, with what to do", () => {
  const said = released({ ...none, count: 4, on_record: false, lost: 1, missing: [17, 19], changed: [18] }, words);
  expect(said).toEqual({
    wrong: true,
    line: words.lacking(4),
    more: ["Missing from the audit log: 17, 19.", "Changed in the audit log: 18.", words.lost(1, 4), words.todo],
  });
  const damaged = released({ ...none, count: 1, on_record: false, damaged: true }, words);
  expect(damaged).toEqual({ wrong: true, line: words.lacking(1), more: [words.damaged, words.todo] });
});
