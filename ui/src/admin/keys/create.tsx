import { Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import type { Attempt } from "../../parts/attempt";
import { Form } from "../../parts/form";
import { MakeDialog } from "../../parts/shownonce";
import { useForm } from "../../parts/useform";
import { day as dayOf } from "../../parts/when";
import { useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useLanguage, useText } from "../../text";
import { OrganizationSelect } from "../pick";
import { expiry, isoDay, longest, type Preset, presets } from "./expiry";
import { MadeKey } from "./made";

type Made = { name: string; apiKey: string };

/** CreateKey asks what a key is for, makes it, and shows it this once. */
export function CreateKey({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useText().keys;
  return (
    <MakeDialog<Made>
      opened={opened}
      onClose={onClose}
      size="lg"
      title={(made) => (made ? words.made.title : words.form.title)}
      form={(how) => <Fields {...how} />}
      secret={(made, onDone) => <MadeKey {...made} onDone={onDone} />}
    />
  );
}

type Role = "global_admin" | "org_manager";
type Scope = Schema<"APIKey">["scopes"][number];

type FieldsProps = { attempt: Attempt; onMade: (made: Made) => void; onClose: () => void };

function Fields({ attempt, onMade, onClose }: FieldsProps) {
  const words = useText().keys.form;
  const me = useMe();
  const queries = useQueryClient();
  const recently = useRecent();
  const form = useForm(attempt, {
    name: "",
    role: "org_manager" as Role,
    scopes: "read" as Scope,
    organization_id: me.organization_id ?? undefined,
  });
  const { name, role, organization_id } = form.values;
  const scopes = form.values.scopes === "monitor" && role !== "global_admin" ? "read" : form.values.scopes;
  const [preset, setPreset] = useState<Preset>("90");
  const [day, setDay] = useState("");
  const expires = expiry(preset, day);

  const submit = async () => {
    if (!expires) return;
    const body: Schema<"NewAPIKey"> = { name: name.trim(), role, scopes: [scopes], expires_at: expires.toISOString() };
    if (role !== "global_admin") body.organization_id = organization_id ?? null;
    const answer = await recently(() => ask(api.POST("/api/admin/api-keys", { body })));
    onMade({ name: answer.name, apiKey: answer.key });
    void queries.invalidateQueries({ queryKey: ["api-keys"] });
  };
  return (
    <Form
      attempt={attempt}
      onSubmit={submit}
      submit={words.submit}
      disabled={!name.trim() || !expires || (role === "org_manager" && organization_id === undefined)}
      onCancel={onClose}
    >
      <TextInput
        label={words.name}
        description={words.nameHint}
        required
        maxLength={64}
        data-autofocus
        {...form.getInputProps("name")}
      />
      {me.role === "global_admin" ? (
        <>
          {/* A key of the role "user" would reach nothing, since a key owns no tokens. */}
          <Choice
            label={words.role}
            of={["org_manager", "global_admin"]}
            names={words.roles}
            hints={words.roleHints}
            {...form.getInputProps("role")}
          />
          {role === "org_manager" ? (
            <OrganizationSelect
              label={words.organization}
              placeholder={words.chooseOrganization}
              required
              activeOnly
              {...form.getInputProps("organization_id")}
            />
          ) : null}
        </>
      ) : (
        <Text size="sm">{words.managerOnly(me.organization_name)}</Text>
      )}
      <Choice
        label={words.scope}
        of={role === "global_admin" ? ["read", "monitor", "inventory", "all"] : ["read", "inventory", "all"]}
        names={words.scopes}
        hints={words.scopeHints}
        {...form.getInputProps("scopes")}
        value={scopes}
      />
      <Lifetime preset={preset} onPreset={setPreset} day={day} onDay={setDay} expires={expires} />
    </Form>
  );
}

type ChoiceProps<T extends string> = {
  label: string;
  of: readonly T[];
  names: Record<T, string>;
  hints: Record<T, string>;
  value: T;
  onChange: (chosen: T) => void;
  error?: ReactNode;
};

/** Choice is one of a few, each with a hint. */
function Choice<T extends string>({ label, of, names, hints, value, onChange, error }: ChoiceProps<T>) {
  const choose = (chosen: string) => {
    const one = of.find((o) => o === chosen);
    if (one) onChange(one);
  };
  return (
    <Radio.Group label={label} value={value} onChange={choose} error={error}>
      <Stack gap="xs" mt={6}>
        {of.map((o) => (
          <Radio key={o} value={o} label={names[o]} description={hints[o]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

type LifetimeProps = {
  preset: Preset;
  onPreset: (p: Preset) => void;
  day: string;
  onDay: (d: string) => void;
  expires: Date | null;
};

function Lifetime({ preset, onPreset, day, onDay, expires }: LifetimeProps) {
  const words = useText().keys.form;
  const language = useLanguage();
  const now = new Date();
  const end = new Date(now.getTime() + (longest - 1) * 86_400_000);
  return (
    <>
      <Select
        label={words.lifetime}
        description={expires ? words.expiresOn(dayOf(expires, language)) : undefined}
        data={presets.map((p) => ({ value: p, label: words.presets[p] }))}
        value={preset}
        allowDeselect={false}
        onChange={(v) => {
          const chosen = presets.find((p) => p === v);
          if (chosen) onPreset(chosen);
        }}
      />
      {preset === "date" ? (
        <TextInput
          type="date"
          label={words.until}
          required
          min={isoDay(now)}
          max={isoDay(end)}
          value={day}
          error={day && !expires ? words.dateRange : undefined}
          onChange={(e) => onDay(e.currentTarget.value)}
        />
      ) : null}
    </>
  );
}
