import { expect, test } from "vitest";
import type { Own } from "./calls";
import { chosen } from "./own";

test("what is switched changes one kind, and says so of that alone", () => {
  const own: Own = {
    language: "de",
    mail: { license_ending: false },
    kinds: [
      { kind: "token_reset", choice: "always", mail: true },
      { kind: "certificate_ending", choice: "on", mail: true },
      { kind: "digest", choice: "off", mail: false },
    ],
    address: "ann@example.org",
    failed_at: null,
    error: "",
    available: true,
  };
  const next = chosen(own, "digest", true);
  expect(next.language).toBe("de");
  expect(next.mail).toEqual({ license_ending: false, digest: true });
  expect(next.kinds?.map((k) => [k.kind, k.mail])).toEqual([
    ["token_reset", true],
    ["certificate_ending", true],
    ["digest", true],
  ]);
  expect(own.mail, "what was is not touched").toEqual({ license_ending: false });
});
