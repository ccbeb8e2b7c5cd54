import { expect, test } from "vitest";
import { columns, type Imported, importAll, sample } from "./people";

const row = (line: number, result: "created" | "unchanged" | "left" | "failed") => ({
  line,
  username: `u${line}`,
  name: "",
  email: "",
  upn: "",
  sid: "",
  role: "user",
  organization: "",
  result,
  errors: [],
  invitation_url: null,
  invitation_mailed: false,
});
const answer = (...rows: ReturnType<typeof row>[]): Imported => {
  const count = (result: string) => rows.filter((r) => r.result === result).length;
  return {
    dry_run: false,
    created: count("created"),
    unchanged: count("unchanged"),
    failed: count("failed"),
    left: count("left"),
    rows,
  };
};

test("an import goes on until nobody is left, and tells of all that it made", async () => {
  const answers = [
    answer(row(2, "created"), row(3, "left"), row(4, "unchanged")),
    answer(row(2, "unchanged"), row(3, "created"), row(4, "unchanged")),
  ];
  const progress: number[] = [];
  const done = await importAll(
    async () => answers.shift() ?? answer(),
    (made) => progress.push(made.length),
  );
  expect(progress).toEqual([1, 2]);
  expect(done.rows.map((r) => r.result)).toEqual(["created", "created", "unchanged"]);
  expect([done.created, done.unchanged, answers.length]).toEqual([2, 1, 0]);
});

test("what was made is told also when the rest is cut off: its links are shown once", async () => {
  const answers = [answer(row(2, "created"), row(3, "left"))];
  const told: number[] = [];
  const cut = importAll(
    async () => answers.shift() ?? Promise.reject(new Error("cut off")),
    (made) => told.push(...made.map((r) => r.line)),
  );
  await expect(cut).rejects.toThrow("cut off");
  expect(told).toEqual([2]);
});

test("an import goes on after lines that fail, and ends where nobody is made", async () => {
  const answers = [
    answer(row(2, "created"), row(3, "failed"), row(4, "left"), row(5, "left")),
    answer(row(2, "unchanged"), row(3, "failed"), row(4, "created"), row(5, "left")),
    answer(row(2, "unchanged"), row(3, "failed"), row(4, "unchanged"), row(5, "failed")),
  ];
  const done = await importAll(
    async () => answers.shift() ?? answer(),
    () => undefined,
  );
  expect(done.rows.map((r) => r.result)).toEqual(["created", "failed", "created", "failed"]);
});

test("the template has as many cells as columns", () => {
  expect(sample.length + 1).toBe(columns.length);
});
