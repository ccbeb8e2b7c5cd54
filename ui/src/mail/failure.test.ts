import { expect, test } from "vitest";
import { Problem, Unreachable } from "../api/problem";
import de from "../text/de";
import en from "../text/en";
import { failureOf, kindName, refusedBy } from "./failure";

test("each class of errors says in each language what it is and what to do", () => {
  for (const words of [en.mail, de.mail]) {
    for (const error of Object.keys(words.errors)) {
      const { what, todo, reply } = failureOf(error, "550 5.1.1", words);
      expect(what).toMatch(/\.$/);
      expect(todo).toMatch(/\.$/);
      expect(reply).toContain("550 5.1.1");
    }
    for (const drop of Object.keys(words.drops)) expect(failureOf(drop, "", words).what).toMatch(/\.$/);
    expect(failureOf("link_expired", "", words).todo, "somebody has to do something").toMatch(/\.$/);
  }
});

test("what is not known here is shown by its name", () => {
  expect(failureOf("comet", "", en.mail)).toEqual({ what: "comet", todo: "", reply: "" });
  expect(failureOf("constructor", "", en.mail).what).toBe("constructor");
  expect(kindName("token_reset", de.mail)).toBe("Token zurückgesetzt");
  expect(kindName("toString", de.mail)).toBe("toString");
});

test("a refusal of the mail server is told by its class, anything else is not one", () => {
  const refusal = (params: object) => new Problem(422, { code: "mail_failed", detail: "In English.", params });
  expect(refusedBy(refusal({ reason: "auth_failed", reply: "535 5.7.8", host: "mail.example.org" }), de.mail)).toEqual({
    what: de.mail.errors.auth_failed?.what,
    todo: de.mail.errors.auth_failed?.todo,
    reply: "Antwort des Servers: 535 5.7.8",
  });
  expect(refusedBy(refusal({ reason: "comet" }), de.mail)).toEqual({ what: "In English.", todo: "", reply: "" });
  expect(refusedBy(new Problem(422, { code: "validation_failed", detail: "No." }), en.mail)).toBeNull();
  expect(refusedBy(new Unreachable("server"), en.mail)).toBeNull();
});
