import { Checkbox, SimpleGrid, Stack, Switch } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { Loaded, Panel } from "../../parts/page";
import { AttemptAlert, done } from "../../parts/problem";
import type { WrongField } from "../../parts/wrong";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { SaveBar } from "../savebar";
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

function Form({ stored, onDirty }: { stored: Policy; onDirty: (dirty: boolean) => void }) {
  const words = useText().settings;
  const queries = useQueryClient();
  const recently = useRecent();
  const [draft, setDraft] = useState<Policy | null>(null);
  const attempt = useAttempt();
  const { busy, field, submit, clear } = attempt;
  const policy = draft ?? stored;
  const dirty = draft !== null && JSON.stringify(draft) !== JSON.stringify(stored);
  useEffect(() => onDirty(dirty), [dirty, onDirty]);

  const save = async () => {
    if (!dirty) return;
    const answer = await recently(() => ask(api.PUT("/api/admin/settings/password-policy", { body: policy })));
    queries.setQueryData(key, answer);
    setDraft(null);
    done(words.saved);
    await queries.invalidateQueries({ queryKey: ["auth-config"] });
  };
  const discard = () => {
    setDraft(null);
    clear();
  };
  return (
    <form onSubmit={submit(save)}>
      <Stack gap="md">
        <AttemptAlert attempt={attempt} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Fields policy={policy} wrong={field} onChange={(change) => setDraft({ ...policy, ...change })} />
          <Meaning policy={policy} before={stored} />
        </SimpleGrid>
        {dirty ? <SaveBar busy={busy} onDiscard={discard} /> : null}
      </Stack>
    </form>
  );
}

type FieldsProps = { policy: Policy; wrong: WrongField; onChange: (change: Partial<Policy>) => void };

function Fields({ policy, wrong, onChange }: FieldsProps) {
  const words = useText().settings.policy;
  const number = (field: "min_length" | "max_length" | "max_age_days" | "lockout_attempts" | "lockout_minutes") => ({
    value: policy[field],
    error: wrong(field),
    onChange: (value: number) => onChange({ [field]: value }),
  });
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
            <NumberField label={words.min} min={8} max={64} {...number("min_length")} />
            <NumberField label={words.max} min={64} max={128} {...number("max_length")} />
          </SimpleGrid>
          <Checkbox.Group
            label={words.demand}
            value={classes.filter(([field]) => policy[field]).map(([field]) => field)}
            onChange={(on) => onChange(Object.fromEntries(classes.map(([field]) => [field, on.includes(field)])))}
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
            checked={policy.reject_common}
            onChange={(e) => onChange({ reject_common: e.currentTarget.checked })}
          />
        </Stack>
      </Panel>
      <Panel title={words.change}>
        <Stack>
          <Switch
            label={words.first}
            description={words.firstHint}
            checked={policy.change_at_first_sign_in}
            onChange={(e) => onChange({ change_at_first_sign_in: e.currentTarget.checked })}
          />
          <Switch
            label={words.expires}
            description={words.expiresHint}
            checked={policy.max_age_days > 0}
            onChange={(e) => onChange({ max_age_days: e.currentTarget.checked ? 365 : 0 })}
          />
          {policy.max_age_days > 0 ? (
            <NumberField label={words.age} min={1} max={3650} {...number("max_age_days")} />
          ) : null}
        </Stack>
      </Panel>
      <Panel title={words.lockout}>
        <SimpleGrid cols={{ base: 1, xs: 2 }} style={{ alignItems: "end" }}>
          <NumberField label={words.attempts} min={1} max={20} {...number("lockout_attempts")} />
          <NumberField label={words.minutes} min={1} max={1440} {...number("lockout_minutes")} />
        </SimpleGrid>
      </Panel>
    </Stack>
  );
}
