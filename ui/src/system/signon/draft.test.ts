import { describe, expect, it } from "vitest";
import { settings } from "../../text/en/settings";
import { bodyOf, draftOf, rowsWrong, type Stored, secretMissing } from "./draft";

const words = settings.signon;
const stored: Stored = {
  enabled: true,
  name: "Acme",
  issuer: "https://id.example.org",
  client_id: "keyward",
  client_secret_set: true,
  redirect_uri: "https://keyward.example.org/api/auth/oidc/callback",
  post_logout_redirect_uri: "https://keyward.example.org/login",
  scopes: ["openid"],
  local_login: true,
  create_users: true,
  username_claim: "preferred_username",
  upn_claim: "upn",
  sid_claim: "",
  role_claim: "groups",
  role_mapping: { admins: "global_admin", staff: "user" },
  default_role: null,
  organization_claim: "",
  organization_mapping: {},
  default_organization_id: 3,
  logout_at_provider: false,
  trust_prompt: false,
  warnings: [],
};

describe("the draft of single sign-on", () => {
  it("sends back what is stored, without the secret", () => {
    const body = bodyOf(draftOf(stored));
    expect(body).not.toHaveProperty("client_secret");
    expect(body).not.toHaveProperty("redirect_uri");
    expect(body).toMatchObject({ role_mapping: stored.role_mapping, default_organization_id: 3, default_role: null });
  });
  it("trims the names of claims", () => {
    const body = bodyOf({ ...draftOf(stored), upn_claim: " ad.upn ", sid_claim: " " });
    expect(body).toMatchObject({ upn_claim: "ad.upn", sid_claim: "" });
  });
  it("sends a new secret, or an empty one to remove it", () => {
    expect(bodyOf({ ...draftOf(stored), client_secret: { mode: "replace", value: "x" } }).client_secret).toBe("x");
    expect(bodyOf({ ...draftOf(stored), client_secret: { mode: "remove" } }).client_secret).toBe("");
  });
  it("keeps passwords on while single sign-on is off", () => {
    expect(bodyOf({ ...draftOf(stored), enabled: false, local_login: false }).local_login).toBe(true);
  });
  it("asks for the secret again when the client changes", () => {
    const draft = draftOf(stored);
    expect(secretMissing(draft, stored)).toBe(false);
    expect(secretMissing({ ...draft, client_id: "other" }, stored)).toBe(true);
    expect(secretMissing({ ...draft, client_id: "other", client_secret: { mode: "remove" } }, stored)).toBe(false);
  });
  it("finds what is wrong with rows", () => {
    const row = (value: string, to: "user" | null = "user", key = 0) => ({ key, value, to });
    expect(rowsWrong("groups", [row("a")], words)).toBeUndefined();
    expect(rowsWrong("", [], words)).toBeUndefined();
    expect(rowsWrong("groups", [row("")], words)).toBe(words.incomplete);
    expect(rowsWrong("groups", [row("a", null)], words)).toBe(words.incomplete);
    expect(rowsWrong("groups", [row("a"), row(" a", "user", 1)], words)).toBe(words.duplicate("a"));
    expect(rowsWrong("groups", [], words)).toBe(words.claimAlone);
    expect(rowsWrong("", [row("a")], words)).toBe(words.tableAlone);
  });
});
