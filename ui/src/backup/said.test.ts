import { expect, test } from "vitest";
import de from "../text/de";
import en from "../text/en";
import { saidOf } from "./said";

test("a sentence inside another, numbers and times are as the language has them", () => {
  const what = { code: "server_stopped", text: "The server was stopped while the job ran." };
  const todo = { code: "new", text: "Do this." };
  const at = "2026-11-23T02:00:00Z";
  const sentences = {
    error_message: { code: "happened", params: { what, todo }, text: `${what.text} ${todo.text}` },
    details: [
      { code: "restored_full", params: { at, rows: 12345, documents: 1 }, text: `Restored the full backup of ${at}` },
      { code: "", text: "And so on." },
    ],
    warnings: [{ code: "documents_failed", params: { documents: 1, paths: ["a"] }, text: "1 documents: a" }],
  };
  const told = saidOf({ sentences }, de.sentences, "de");
  expect(told.error).toBe("Der Server wurde gestoppt, während der Auftrag lief. Do this.");
  expect(told.details).toMatch(
    /^Vollständige Sicherung vom \d+\.11\.2026, .* wiederhergestellt: 12\.345 Datensätze und 1 Eintrag des Tresors\. And so on\.$/,
  );
  expect(told.warnings).toEqual(["1 Dokument des Tresors ließ sich nicht wiederherstellen: a"]);
  expect(saidOf({ sentences }, en.sentences, "en").details).toMatch(
    /^Restored the full backup of .*2026.*: 12,345 records and 1 vault entries\. And so on\.$/,
  );
  expect(saidOf({ sentences: { details: [], warnings: [] } }, de.sentences, "de").error).toBe("");
});
