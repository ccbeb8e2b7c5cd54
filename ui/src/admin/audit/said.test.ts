import { expect, test } from "vitest";
import de from "../../text/de";
import { said } from "./said";

const of = (action: string, details: string) =>
  said({ action, details }, de).map(({ name, value }) => (name ? `${name}: ${value}` : value));

test("details are values with their names, in the reader's language", () => {
  expect(
    of("certificate.issued", "token 10001, slot 9a, profile default, subject CN=anna, email a@b.example, not attested"),
  ).toEqual([
    "Token: 10001",
    "Slot: 9a",
    "Zertifikatsprofil: default",
    "Subject: CN=anna",
    "E-Mail: a@b.example",
    "Nicht attestiert",
  ]);
  expect(of("hwkey.rotation_started", "rotation 3, fields pin,management_key; session 12; agent key ab:cd")).toEqual([
    "Nummer der Änderung: 3",
    "Geheimnisse: PIN, Management-Schlüssel",
    "Sitzung: 12",
    "Schlüssel des Agenten: ab:cd",
  ]);
  expect(of("hwkey.status_changed", "from in_stock to lost; by API key 7")).toEqual([
    "Status: Im Bestand → Verloren",
    "API-Schlüssel: 7",
  ]);
  expect(of("hwkey.status_changed", "from active to suspended: the owner's account is disabled")).toEqual([
    "Status: Aktiv → Vorübergehend gesperrt",
    "Das Konto des Inhabers ist deaktiviert",
  ]);
  expect(of("hwkey.reset", "secrets renewed, certificates revoked")).toEqual([
    "Geheimnisse erneuert, Zertifikate widerrufen",
  ]);
  expect(of("certificate.issued", "token 1, slot 9c, subject CN=Doe\\, Anna, O=Example, not attested")).toEqual([
    "Token: 1",
    "Slot: 9c",
    "Subject: CN=Doe\\, Anna, O=Example",
    "Nicht attestiert",
  ]);
  expect(of("user.role_changed", "from user to org_manager")).toEqual(["Rolle: Benutzer → Organisationsverwalter"]);
  expect(of("audit.exported", 'format=csv action="hwkey." user_id=7')).toEqual([
    "Format: csv",
    "Aktion: hwkey.",
    "Person: 7",
  ]);
  expect(of("certificate.revoked", "token 10001, slot 9a: superseded by 0a")).toEqual([
    "Token: 10001",
    "Slot: 9a",
    "Ersetzt durch: 0a",
  ]);
});

test("what is not known stays as the server wrote it, in one piece", () => {
  expect(said({ action: "x.y", details: "this, and that; role user" }, de)).toEqual([
    { value: "this, and that", raw: true },
    { name: "Rolle", value: "Benutzer" },
  ]);
  expect(said({ action: "x.y", details: "" }, de)).toEqual([]);
  expect(of("x.y", "constructor")).toEqual(["constructor"]);
});
