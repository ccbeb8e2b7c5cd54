import { Checkbox, SimpleGrid, Stack, Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { api, ask } from "../../api/client";
import { Loaded, Panel } from "../../parts/page";
import type { FormOf } from "../../parts/useform";
import { useText } from "../../text";
import { SettingsForm, useSettingsForm } from "../settingsform";
import type { Policy } from "./assess";
import { Meaning } from "./meaning";
import { NumberField } from "./number";

const key = ["settings", "password-policy"];

/** PolicySettings shows and changes the password policy. */
export function PolicySettings({ onDirty }: { onDirty: (dirty: boolean) => void }) {
  const query = useQuery({
    queryKey: key,
    queryFn: () => ask(api.GET("/api/admin/settings/password-policy")),
  });
  return (
    <Loaded query={query} height={620}>
      {(stored) => <Form stored={stored} onDirty={onDirty} />}
    </Loaded>
  );
}

const same = (stored: Policy) => stored;

function Form({ stored, onDirty }: { stored: Policy; onDirty: (dirty: boolean) => void }) {
  const settings = useSettingsForm({
    stored,
    draftOf: same,
    put: (body) => ask(api.PUT("/api/admin/settings/password-policy", { body })),
    queryKey: key,
    affects: ["auth-config"],
    onDirty,
  });
  const { form } = settings;
  return (
    <SettingsForm settings={settings}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Fields form={form} />
        <Meaning policy={form.values} before={stored} />
      </SimpleGrid>
    </SettingsForm>
  );
}

function Fields({ form }: { form: FormOf<Policy> }) {
  const words = useText().settings.policy;
  const { values: policy } = form;
  const classes = [
    ["require_lowercase", words.lowercase],
    ["require_uppercase", words.uppercase],
    ["require_digit", words.digit],
    ["require_symbol", words.symbol],
  ] as const;
  return (
    <Stack gap="md">
      <Panel title={words.text}>
        <Stack>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <NumberField label={words.min} min={8} max={64} {...form.getInputProps("min_length")} />
            <NumberField label={words.max} min={64} max={128} {...form.getInputProps("max_length")} />
          </SimpleGrid>
          <Checkbox.Group
            label={words.demand}
            value={classes.filter(([field]) => policy[field]).map(([field]) => field)}
            onChange={(on) => form.setValues(Object.fromEntries(classes.map(([field]) => [field, on.includes(field)])))}
          >
            <Stack gap="xs" mt={6}>
              {classes.map(([field, label]) => (
                <Checkbox key={field} value={field} label={label} />
              ))}
            </Stack>
          </Checkbox.Group>
          <Switch
            label={words.common}
            description={words.commonHint}
            {...form.getInputProps("reject_common", { type: "checkbox" })}
          />
        </Stack>
      </Panel>
      <Panel title={words.change}>
        <Stack>
          <Switch
            label={words.first}
            description={words.firstHint}
            {...form.getInputProps("change_at_first_sign_in", { type: "checkbox" })}
          />
          <Switch
            label={words.expires}
            description={words.expiresHint}
            checked={policy.max_age_days > 0}
            onChange={(e) => form.setFieldValue("max_age_days", e.currentTarget.checked ? 365 : 0)}
          />
          {policy.max_age_days > 0 ? (
            <NumberField label={words.age} min={1} max={3650} {...form.getInputProps("max_age_days")} />
          ) : null}
        </Stack>
      </Panel>
      <Panel title={words.lockout}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
          <NumberField label={words.attempts} min={1} max={20} {...form.getInputProps("lockout_attempts")} />
          <NumberField label={words.minutes} min={1} max={1440} {...form.getInputProps("lockout_minutes")} />
        </SimpleGrid>
      </Panel>
    </Stack>
  );
}
