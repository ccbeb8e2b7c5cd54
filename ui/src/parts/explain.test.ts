import { expect, test } from "vitest";
import { Problem } from "../api/problem";
import de from "../text/de";
import en from "../text/en";
import { below, foundSaid, inOne, told } from "./explain";

const required = { code: "required", message: "is required" };
const invalid = (...names: string[]) =>
  new Problem(400, {
    code: "invalid_request",
    detail: `The request has an invalid field: ${names[0]} is required.`,
    errors: names.map((field) => ({ field, ...required })),
  });
const all = (problem: Problem, shown?: string[]) => {
  const said = told(problem, de, "de", shown);
  return said && inOne(said);
};

test("a refusal is told in the person's language, or as the server says it", () => {
  const problem = new Problem(409, {
    code: "conflict",
    params: { reason: "email_taken" },
    detail: "That email address belongs to another account. Use another.",
  });
  expect(all(problem)).toBe("Diese E-Mail-Adresse gehört zu einem anderen Konto. Nehmen Sie eine andere.");
  expect(told(problem, en, "en")).toEqual({ title: undefined, detail: problem.detail, fields: [] });
  const later = new Problem(409, { code: "conflict", params: { reason: "of_later" }, detail: "Of a later version." });
  expect(all(later)).toBe("Of a later version.");
});

test("what stands below a field is said nowhere else", () => {
  expect(all(invalid("email", "role"), ["role", "email"])).toBeNull();
  expect(all(invalid("email", "role"), ["email"])).toBe("Rolle: Pflichtfeld.");
  expect(all(invalid("actions[3]", "actions_of"), ["actions"])).toBe("actions_of: Pflichtfeld.");
});

test("without a form an input has its label, and each thing is said once", () => {
  expect(all(invalid("new_password"))).toBe("Neues Passwort: Pflichtfeld.");
  expect(all(invalid("email_domains[2]"))).toBe("E-Mail-Domains: Pflichtfeld.");
  const policy = new Problem(422, {
    code: "password_policy",
    detail: "The new password must contain a digit.",
    errors: [{ field: "new_password", code: "no_digit", message: "must contain a digit" }],
  });
  expect(all(policy)).toBe("Neues Passwort: Fügen Sie eine Ziffer hinzu.");
  expect(all(policy, ["new_password"])).toBeNull();
});

test("in English an input has a sentence of its own, or the server's fragment goes on after its label", () => {
  const refused = (code: string, message: string) =>
    new Problem(400, { code: "invalid_request", detail: "", errors: [{ field: "role", code, message }] });
  const said = (problem: Problem) => {
    const alert = told(problem, en, "en");
    return [alert && inOne(alert), ...problem.fields.map((f) => below(f, en, "en"))];
  };
  expect(said(refused("required", "is required"))).toEqual(["Role: Required.", "Required."]);
  const fragment = "Role has the wrong format.";
  expect(said(refused("bad_form", "has the wrong format"))).toEqual([fragment, fragment]);
});

test("a refusal that says more than its fields keeps its own sentence and title", () => {
  const license = new Problem(422, {
    code: "license_rejected",
    params: { reason: "malformed" },
    detail: "This is no license file.",
    errors: [{ field: "license.customer", ...required }],
  });
  const said = told(license, de, "de");
  expect(said?.title).toBe("Die Lizenz wurde abgelehnt");
  expect(said?.detail).toContain("keine Lizenzdatei");
  expect(said?.fields).toEqual([{ name: "license.customer", label: undefined, joint: ": ", text: "Pflichtfeld." }]);
});

test("how long to wait is told with it", () => {
  const busy = new Problem(429, { code: "rate_limited", params: { reason: "requests" }, detail: "Too many." }, "30");
  expect(all(busy)).toMatch(/Zu viele Anfragen.*30 Sekunden/);
});

test("a setting of the backup store that is wrong is said by its label, in the person's language", () => {
  const found = {
    code: "invalid_request",
    params: {},
    message: "The request has invalid fields; see errors.",
    errors: [
      { field: "secret_access_key", ...required },
      { field: "bucket", code: "bad_bucket", message: "must be only the bucket's name" },
    ],
  };
  const { store } = de.backups.settings;
  expect(foundSaid(found, de, "de")).toBe(
    `${store.secret.label}: Pflichtfeld. ${store.bucket}: Geben Sie nur den Namen des Buckets ein, ohne Pfad und Adresse.`,
  );
  expect(foundSaid(found, en, "en")).toBe(
    `${en.backups.settings.store.secret.label}: Required. Bucket: Enter only the bucket's name, without a path or an address.`,
  );
  const silent = { code: "storage_unavailable", params: { reason: "backup_store_slow" }, message: "It is slow." };
  expect(foundSaid(silent, de, "de")).toBe(de.sentences["storage_unavailable/backup_store_slow"]);
});
