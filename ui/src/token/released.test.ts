import { expect, test } from "vitest";
import { tokens } from "../text/en/tokens";
import { released } from "./released";

const words = tokens.page.releases;
const none = { count: 0, on_record: true, missing: [], changed: [], damaged: false };

test("what is on record is said in a line", () => {
  expect(released(none, words)).toEqual({ wrong: false, line: words.none });
  expect(released({ ...none, count: 1 }, words).line).toBe("1 release of its secrets, on record");
  expect(released({ ...none, count: 3 }, words).line).toBe("3 releases of its secrets, all on record");
});

test("what is not on record is named, with what to do", () => {
  const said = released({ count: 3, on_record: false, missing: [17, 19], changed: [18], damaged: false }, words);
  expect(said).toEqual({
    wrong: true,
    line: words.lacking(3),
    more: ["Missing in the audit log: 17, 19.", "Changed in the audit log: 18.", words.todo],
  });
  const damaged = released({ ...none, count: 1, on_record: false, damaged: true }, words);
  expect(damaged.wrong && damaged.more).toEqual([words.damaged, words.todo]);
});
