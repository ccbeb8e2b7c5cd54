import { Button, Group, Radio, Stack, TagsInput, TextInput } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { Problem } from "../../api/problem";
import { ProblemAlert } from "../../parts/problem";
import { useMe } from "../../session/hooks";
import { Cancelled } from "../../session/recent";
import { useText } from "../../text";
import { useOffer } from "../audit/offer";
import { OrganizationSelect } from "../pick";
import { badAction } from "./filter";

/** What the form asks for. */
export type Values = { url: string; description: string; actions: string[]; organization: number | null };

type Props = {
  first: Values;
  /** A webhook's organization never changes. */
  withOrganization: boolean;
  submit: string;
  /** Known to the dialog, which stays open meanwhile. */
  busy: boolean;
  onBusy: (busy: boolean) => void;
  onSubmit: (values: Values) => Promise<void>;
  onCancel: () => void;
};

/** WebhookForm holds the fields of a webhook, new or not. */
export function WebhookForm({ first, withOrganization, submit, busy, onBusy, onSubmit, onCancel }: Props) {
  const t = useText();
  const words = t.webhooks.form;
  const me = useMe();
  const [values, setValues] = useState(first);
  const [every, setEvery] = useState(first.actions.length === 0);
  const [problem, setProblem] = useState<unknown>(null);
  const set = (change: Partial<Values>) => setValues((v) => ({ ...v, ...change }));
  const bad = every ? undefined : badAction(values.actions);

  const send = async (e: FormEvent) => {
    e.preventDefault();
    if (busy || bad) return;
    onBusy(true);
    setProblem(null);
    try {
      await onSubmit({ ...values, url: values.url.trim(), actions: every ? [] : values.actions });
    } catch (error) {
      if (!(error instanceof Cancelled)) setProblem(error);
    } finally {
      onBusy(false);
    }
  };
  const wrong = (field: string) =>
    problem instanceof Problem ? problem.fields.find((f) => f.field.startsWith(field))?.message : undefined;
  return (
    <form onSubmit={(e) => void send(e)} noValidate>
      <Stack>
        {problem ? <ProblemAlert error={problem} /> : null}
        <TextInput
          type="url"
          label={words.url}
          description={words.urlHint}
          placeholder="https://"
          required
          withAsterisk={false}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          data-autofocus
          value={values.url}
          error={wrong("url")}
          onChange={(e) => set({ url: e.currentTarget.value })}
        />
        <TextInput
          label={words.description}
          description={words.descriptionHint}
          maxLength={256}
          value={values.description}
          error={wrong("description")}
          onChange={(e) => set({ description: e.currentTarget.value })}
        />
        {withOrganization && me.role === "global_admin" ? (
          <OrganizationSelect
            label={words.organization}
            description={words.organizationHint}
            placeholder={t.webhooks.everywhere}
            activeOnly
            value={values.organization ?? undefined}
            onChange={(id) => set({ organization: id ?? null })}
            error={wrong("organization_id")}
          />
        ) : null}
        <Radio.Group label={words.which} value={every ? "every" : "some"} onChange={(v) => setEvery(v === "every")}>
          <Stack gap="xs" mt={6}>
            <Radio value="every" label={words.every} />
            <Radio value="some" label={words.some} />
          </Stack>
        </Radio.Group>
        {every ? null : (
          <Actions
            value={values.actions}
            onChange={(actions) => set({ actions })}
            error={bad === undefined ? wrong("actions") : words.actionWrong(bad)}
          />
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel} disabled={busy}>
            {t.common.actions.cancel}
          </Button>
          <Button
            type="submit"
            loading={busy}
            disabled={!values.url.trim() || (!every && (values.actions.length === 0 || bad !== undefined))}
          >
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type ActionsProps = { value: string[]; onChange: (actions: string[]) => void; error: string | undefined };

function Actions({ value, onChange, error }: ActionsProps) {
  const words = useText().webhooks.form;
  const offer = useOffer();
  return (
    <TagsInput
      label={words.actions}
      description={words.actionsHint}
      value={value}
      onChange={onChange}
      error={error}
      maxTags={64}
      splitChars={[",", " "]}
      acceptValueOnBlur
      {...offer}
      // The listbox itself scrolls, so that assistive technology knows what does.
      withScrollArea={false}
      styles={{
        pill: { fontFamily: "var(--mantine-font-family-monospace)" },
        options: { maxHeight: 300, overflowY: "auto" },
      }}
    />
  );
}
