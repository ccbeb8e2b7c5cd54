import { Select, Stack, Switch, Text, TextInput } from "@mantine/core";
import { OrganizationSelect } from "../../admin/pick";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import { asRole, roles } from "./draft";
import type { Part } from "./provider";
import { Rows } from "./rows";

/** Accounts says who gets an account, and under which name. */
export function Accounts({ form }: Part) {
  const words = useText().settings.signon;
  return (
    <Panel title={words.accounts}>
      <Stack>
        <Switch
          label={words.create}
          description={words.createHint}
          {...form.getInputProps("create_users", { type: "checkbox" })}
        />
        <TextInput
          label={words.usernameClaim}
          description={words.usernameHint}
          maxLength={256}
          spellCheck={false}
          {...form.getInputProps("username_claim")}
        />
        <TextInput
          label={words.upnClaim}
          description={words.directoryHint}
          maxLength={256}
          spellCheck={false}
          {...form.getInputProps("upn_claim")}
        />
        <TextInput label={words.sidClaim} maxLength={256} spellCheck={false} {...form.getInputProps("sid_claim")} />
      </Stack>
    </Panel>
  );
}

/** Roles maps values of a claim to roles. */
export function Roles({ form }: Part) {
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
          {...form.getInputProps("role_claim")}
        />
        <Rows
          label={words.roleTable}
          hint={words.highest}
          {...form.getInputProps("role_mapping")}
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
          data={[{ value: "", label: form.values.role_claim.trim() ? words.refused : words.refusedNew }, ...data]}
          allowDeselect={false}
          {...form.getInputProps("default_role")}
          value={form.values.default_role ?? ""}
          onChange={(v) => form.setFieldValue("default_role", asRole(v))}
        />
      </Stack>
    </Panel>
  );
}

/** Organizations maps values of a claim to organizations. */
export function Organizations({ form }: Part) {
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
          {...form.getInputProps("organization_claim")}
        />
        <Rows
          label={words.organizationTable}
          hint={words.first}
          {...form.getInputProps("organization_mapping")}
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
          placeholder={form.values.organization_claim.trim() ? words.refused : words.noOrganization}
          {...form.getInputProps("default_organization_id")}
          value={form.values.default_organization_id ?? undefined}
          onChange={(id) => form.setFieldValue("default_organization_id", id ?? null)}
        />
      </Stack>
    </Panel>
  );
}
