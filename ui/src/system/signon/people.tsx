import { Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { OrganizationSelect } from "../../admin/pick";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import { asRole, roles } from "./draft";
import type { Part } from "./provider";
import { Rows } from "./rows";

/** Accounts says who gets an account, and under which name. */
export function Accounts({ draft, onChange, wrong }: Part) {
  const words = useText().settings.signon;
  return (
    <Panel title={words.accounts}>
      <Stack>
        <Switch
          label={words.create}
          description={words.createHint}
          checked={draft.create_users}
          onChange={(e) => onChange({ create_users: e.currentTarget.checked })}
        />
        <TextInput
          label={words.usernameClaim}
          description={words.usernameHint}
          maxLength={256}
          spellCheck={false}
          value={draft.username_claim}
          error={wrong("username_claim")}
          onChange={(e) => onChange({ username_claim: e.currentTarget.value })}
        />
      </Stack>
    </Panel>
  );
}

/** Roles maps values of a claim to roles. */
export function Roles({ draft, onChange, wrong }: Part) {
  const t = useText();
  const words = t.settings.signon;
  const data = roles.map((r) => ({ value: r, label: t.common.roles[r] }));
  return (
    <Panel title={words.roles}>
      <Stack>
        <Text size="sm" c="dimmed">
          {words.rolesHint}
        </Text>
        <TextInput
          label={words.roleClaim}
          description={words.claimHint}
          maxLength={256}
          spellCheck={false}
          value={draft.role_claim}
          error={wrong("role_claim")}
          onChange={(e) => onChange({ role_claim: e.currentTarget.value })}
        />
        <Rows
          label={words.roleTable}
          hint={words.highest}
          rows={draft.roles}
          onChange={(rows) => onChange({ roles: rows })}
          error={wrong("role_mapping")}
          pick={(to, onPick) => (
            <Select
              aria-label={words.role}
              placeholder={words.role}
              data={data}
              value={to}
              allowDeselect={false}
              onChange={(v) => onPick(asRole(v))}
            />
          )}
        />
        <Select
          label={words.defaultRole}
          data={[{ value: "", label: draft.role_claim.trim() ? words.refused : words.refusedNew }, ...data]}
          value={draft.default_role ?? ""}
          allowDeselect={false}
          error={wrong("default_role")}
          onChange={(v) => onChange({ default_role: asRole(v) })}
        />
      </Stack>
    </Panel>
  );
}

/** Organizations maps values of a claim to organizations. */
export function Organizations({ draft, onChange, wrong }: Part) {
  const words = useText().settings.signon;
  return (
    <Panel title={words.organizations}>
      <Stack>
        <Text size="sm" c="dimmed">
          {words.organizationsHint}
        </Text>
        <TextInput
          label={words.organizationClaim}
          description={words.claimHint}
          maxLength={256}
          spellCheck={false}
          value={draft.organization_claim}
          error={wrong("organization_claim")}
          onChange={(e) => onChange({ organization_claim: e.currentTarget.value })}
        />
        <Rows
          label={words.organizationTable}
          hint={words.first}
          rows={draft.organizations}
          onChange={(rows) => onChange({ organizations: rows })}
          error={wrong("organization_mapping")}
          pick={(to, onPick) => (
            <OrganizationSelect
              compact
              label={words.organization}
              placeholder={words.organization}
              clearable={false}
              value={to ?? undefined}
              onChange={(id) => onPick(id ?? null)}
            />
          )}
        />
        <OrganizationSelect
          label={words.defaultOrganization}
          placeholder={draft.organization_claim.trim() ? words.refused : words.noOrganization}
          value={draft.default_organization_id ?? undefined}
          onChange={(id) => onChange({ default_organization_id: id ?? null })}
          error={wrong("default_organization_id")}
        />
      </Stack>
    </Panel>
  );
}
