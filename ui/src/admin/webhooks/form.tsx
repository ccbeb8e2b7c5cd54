import { Radio, Stack, TagsInput, TextInput } from "@mantine/core";
import { type ReactNode, useState } from "react";
import type { Attempt } from "../../parts/attempt";
import { Form } from "../../parts/form";
import { useForm } from "../../parts/useform";
import { useMe } from "../../session/hooks";
import { useText } from "../../text";
import { useOffer } from "../audit/offer";
import { OrganizationSelect } from "../pick";
import { badAction } from "./filter";

/** What the form asks for. */
export type Values = { url: string; description: string; actions: string[]; organization_id: number | undefined };

type Props = {
  first: Values;
  /** A webhook's organization never changes. */
  withOrganization: boolean;
  submit: string;
  attempt: Attempt;
  onSubmit: (values: Values) => Promise<void>;
  onCancel: () => void;
};

/** WebhookForm holds the fields of a webhook, new or not. */
export function WebhookForm({ first, withOrganization, submit, attempt, onSubmit, onCancel }: Props) {
  const t = useText();
  const words = t.webhooks.form;
  const me = useMe();
  const form = useForm(attempt, first, ({ actions }) => {
    const bad = badAction(actions);
    return { actions: bad === undefined ? undefined : words.actionWrong(bad) };
  });
  const { values } = form;
  const [every, setEvery] = useState(first.actions.length === 0);
  return (
    <Form
      attempt={attempt}
      onSubmit={() => onSubmit({ ...values, url: values.url.trim(), actions: every ? [] : values.actions })}
      submit={submit}
      disabled={!values.url.trim() || (!every && (values.actions.length === 0 || form.wrong.actions !== undefined))}
      onCancel={onCancel}
    >
      <TextInput
        type="url"
        label={words.url}
        description={words.urlHint}
        placeholder="https://"
        required
        maxLength={2048}
        autoComplete="off"
        spellCheck={false}
        data-autofocus
        {...form.getInputProps("url")}
      />
      <TextInput
        label={words.description}
        description={words.descriptionHint}
        maxLength={256}
        {...form.getInputProps("description")}
      />
      {withOrganization && me.role === "global_admin" ? (
        <OrganizationSelect
          label={words.organization}
          description={words.organizationHint}
          placeholder={t.webhooks.everywhere}
          activeOnly
          {...form.getInputProps("organization_id")}
        />
      ) : null}
      <Radio.Group label={words.which} value={every ? "every" : "some"} onChange={(v) => setEvery(v === "every")}>
        <Stack gap="xs" mt={6}>
          <Radio value="every" label={words.every} />
          <Radio value="some" label={words.some} />
        </Stack>
      </Radio.Group>
      {every ? null : <Actions {...form.getInputProps("actions")} />}
    </Form>
  );
}

type ActionsProps = { value: string[]; onChange: (actions: string[]) => void; error: ReactNode };

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
