import { expect, test } from "vitest";
import en from "../text/en";
import type { Stored } from "./calls";
import { bodyOf, type Draft, draftOf, secured, wrongWith } from "./draft";

const words = en.mail.settings;
const stored: Stored = {
  enabled: true,
  host: "mail.example.org",
  port: 587,
  security: "starttls",
  allow_insecure_auth: false,
  username: "keyward",
  password_set: true,
  from: "keyward@example.org",
  from_name: "Keyward",
  language: "en",
  ca_pem: "",
  waiting: 0,
  standing: null,
};
const draft = (change: Partial<Draft>): Draft => ({ ...draftOf(stored), ...change });

test("the password is sent when it changes, and only then", () => {
  expect(bodyOf(draft({}))).not.toHaveProperty("password");
  expect(bodyOf(draft({ password: { mode: "replace", value: "s3cret" } })).password).toBe("s3cret");
  expect(bodyOf(draft({ password: { mode: "remove" } })).password).toBe("");
});

test("what is sent has no blanks around it, and nothing that is only shown", () => {
  const body = bodyOf(draft({ host: " mail.example.org ", from: " a@example.org\n", ca_pem: "\n" }));
  expect(body).toMatchObject({ host: "mail.example.org", from: "a@example.org", ca_pem: "" });
  for (const name of ["password_set", "waiting", "standing", "password"]) expect(body).not.toHaveProperty(name);
});

test("another encryption brings its port, unless one was chosen", () => {
  expect(secured(draft({}), "tls")).toMatchObject({ security: "tls", port: 465 });
  expect(secured(draft({ security: "tls", port: 465 }), "none")).toMatchObject({ security: "none", port: 25 });
  expect(secured(draft({ port: 2525 }), "tls")).not.toHaveProperty("port");
  expect(draftOf({ ...stored, port: 0, security: "tls" }).port, "nothing is stored yet").toBe(465);
});

test("that a password may go in the clear ends with another encryption", () => {
  expect(secured(draft({ security: "none", allow_insecure_auth: true }), "tls").allow_insecure_auth).toBe(false);
});

test("the page says what is missing before the server does", () => {
  expect(wrongWith(draft({}), stored, words)).toEqual({});
  expect(wrongWith(draft({ host: " ", from: "" }), stored, words)).toEqual({
    host: words.hostMissing,
    from: words.fromMissing,
    password: words.secret.again,
  });
  const off = { ...stored, host: "", username: "", from: "", password_set: false, enabled: false };
  expect(wrongWith(draftOf(off), off, words), "nothing is asked of who leaves it off").toEqual({});
});

test("a stored password is not sent to another server, nor for another account, nor less safely", () => {
  expect(wrongWith(draft({ from_name: "Help desk", language: "de", enabled: false }), stored, words)).toEqual({});
  const changes: Partial<Draft>[] = [
    { host: "evil.example.org" },
    { username: "else" },
    { port: 25 },
    { security: "none" },
    { ca_pem: "-----BEGIN CERTIFICATE-----" },
  ];
  for (const change of changes) {
    expect(wrongWith(draft(change), stored, words)).toEqual({ password: words.secret.again });
    expect(wrongWith(draft({ ...change, password: { mode: "replace", value: "x" } }), stored, words)).toEqual({});
    expect(wrongWith(draft({ ...change, password: { mode: "remove" } }), stored, words)).toEqual({});
  }
  expect(wrongWith(draft({ password: { mode: "replace", value: "" } }), stored, words)).toEqual({
    password: words.passwordMissing,
  });
  expect(wrongWith(draft({ username: "", password: { mode: "replace", value: "x" } }), stored, words)).toEqual({
    username: words.usernameMissing,
  });
});
