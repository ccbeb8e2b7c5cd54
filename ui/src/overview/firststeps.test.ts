import { expect, test } from "vitest";
import { open, order, type Steps } from "./firststeps";

test("each step of the server's answer stands in the list, and is open until it is done", () => {
  const none: Steps = { organization: false, people: false, token: false, mail: false, backup: false, tls: false };
  expect([...order].sort()).toEqual(Object.keys(none).sort());
  expect(open({ ...none, tls: true, people: true })).toEqual(["organization", "token", "mail", "backup"]);
});
