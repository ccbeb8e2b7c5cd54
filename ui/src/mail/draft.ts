import type { Secret } from "../parts/secret";
import type { FormOf } from "../parts/useform";
import type { Catalogue } from "../text";
import type { Body, Stored } from "./calls";

export type Security = Stored["security"];

/** The kinds of encryption, and the port that each mostly has. */
export const ports: Readonly<Record<Security, number>> = { starttls: 587, tls: 465, none: 25 };

/** What the settings' answer has that is not set by them. */
type Shown = "password_set" | "waiting" | "standing";

/** Draft is the settings as the form holds them. */
export type Draft = Omit<Stored, Shown> & { password: Secret };

/** draftOf begins a form with what is stored. */
export function draftOf(s: Stored): Draft {
  return {
    enabled: s.enabled,
    host: s.host,
    port: s.port || ports[s.security],
    security: s.security,
    allow_insecure_auth: s.allow_insecure_auth,
    username: s.username,
    from: s.from,
    from_name: s.from_name,
    language: s.language,
    ca_pem: s.ca_pem,
    password: { mode: "keep" },
  };
}

/** bodyOf is what the server is sent. The password is absent when it stays. */
export function bodyOf(d: Draft): Body {
  const { password, ...rest } = d;
  const body: Body = {
    ...rest,
    host: d.host.trim(),
    username: d.username.trim(),
    from: d.from.trim(),
    from_name: d.from_name.trim(),
    ca_pem: d.ca_pem.trim() ? d.ca_pem : "",
  };
  if (password.mode !== "keep") body.password = password.mode === "replace" ? password.value : "";
  return body;
}

/** secured changes the encryption, and the port with it where that was the usual one. What was allowed without any ends. */
export function secured(d: Draft, security: Security): Partial<Draft> {
  const change = { security, allow_insecure_auth: false };
  return d.port === ports[d.security] ? { ...change, port: ports[security] } : change;
}

type Words = Catalogue["mail"]["settings"];

/** wrongWith says what the page itself can tell of the form, by the fields of the API. */
export function wrongWith(d: Draft, stored: Stored, words: Words): Record<string, string> {
  const wrong: Record<string, string> = {};
  if (d.enabled && !d.host.trim()) wrong.host = words.hostMissing;
  if (d.enabled && !d.from.trim()) wrong.from = words.fromMissing;
  const kept = stored.password_set && d.password.mode === "keep";
  if (d.password.mode === "replace" && !d.password.value) wrong.password = words.passwordMissing;
  else if (kept && moved(d, stored)) wrong.password = words.secret.again;
  if (!d.username.trim() && (kept || d.password.mode === "replace")) wrong.username = words.usernameMissing;
  return wrong;
}

/** What says where a password goes, and how safely. */
const way = ["host", "port", "security", "allow_insecure_auth", "username", "ca_pem"] as const;

/** moved: the stored password was given for another server or account, or for another way there. */
function moved(d: Draft, stored: Stored): boolean {
  const [next, now] = [bodyOf(d), bodyOf(draftOf(stored))];
  return way.some((name) => next[name] !== now[name]);
}

/** What the parts of the form are given. */
export type Part = { form: FormOf<Draft>; stored: Stored };
