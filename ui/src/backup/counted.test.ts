import { expect, test } from "vitest";
import { backups as de } from "../text/de/backups";
import { backups as en } from "../text/en/backups";
import { counted } from "./counted";
import type { Job } from "./types";

const said = (progress: Job["progress"]) =>
  [counted(en.running.counted, progress, "en"), counted(de.running.counted, progress, "de")].map(
    (s) => s?.replace(/\u00a0|\u202f/g, " ") ?? null,
  );

test("bytes, of all where that is known", () => {
  expect(said({ done: 210_000_000, total: 1_200_000_000, unit: "bytes" })).toEqual([
    "210 MB of 1.2 GB",
    "210 MB von 1,2 GB",
  ]);
  expect(said({ done: 4096, total: null, unit: "bytes" })).toEqual(["4.1 kB", "4,1 kB"]);
});

test("secrets and rows, by their number", () => {
  expect(said({ done: 3412, total: 10_000, unit: "secrets" })).toEqual([
    "3,412 of 10,000 secrets",
    "3.412 von 10.000 Geheimnissen",
  ]);
  expect(said({ done: 3412, total: null, unit: "secrets" })).toEqual(["3,412 secrets", "3.412 Geheimnisse"]);
  expect(said({ done: 0, total: 1, unit: "secrets" })).toEqual(["0 of 1 secret", "0 von 1 Geheimnis"]);
  expect(said({ done: 120_000, total: null, unit: "rows" })).toEqual(["120,000 rows", "120.000 Zeilen"]);
  expect(said({ done: 7, total: 120_000, unit: "rows" })).toEqual(["7 of 120,000 rows", "7 von 120.000 Zeilen"]);
  expect(said({ done: 1, total: null, unit: "rows" })).toEqual(["1 row", "1 Zeile"]);
});

test("nothing, of a phase that counts nothing", () => {
  expect(said(null)).toEqual([null, null]);
});
