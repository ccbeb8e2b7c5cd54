import { Checkbox, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask } from "../../api/client";
import { isProblem } from "../../api/problem";
import type { Attempt } from "../../parts/attempt";
import { ConfirmDialog } from "../../parts/confirm";
import { Loaded } from "../../parts/page";
import { useText } from "../../text";
import { SettingsForm, useSettingsForm } from "../settingsform";
import { bodyOf, type Draft, draftOf, rowsWrong, type Stored, secretMissing } from "./draft";
import { Accounts, Organizations, Roles } from "./people";
import { Provider } from "./provider";
import { Ways } from "./ways";

const key = ["settings", "oidc"];

/** SignOnSettings shows and changes single sign-on. */
export function SignOnSettings({ onDirty }: { onDirty: (dirty: boolean) => void }) {
  const query = useQuery({ queryKey: key, queryFn: () => ask(api.GET("/api/admin/settings/oidc")) });
  return (
    <Loaded query={query} height={900}>
      {(stored) => <Form stored={stored} onDirty={onDirty} />}
    </Loaded>
  );
}

function Form({ stored, onDirty }: { stored: Stored; onDirty: (dirty: boolean) => void }) {
  const words = useText().settings.signon;
  const [asking, setAsking] = useState(false);
  const settings = useSettingsForm({
    stored,
    draftOf,
    find: (draft: Draft) => ({
      client_secret: secretMissing(draft, stored) ? words.secret.again : undefined,
      role_mapping: rowsWrong(draft.role_claim, draft.role_mapping, words),
      organization_mapping: rowsWrong(draft.organization_claim, draft.organization_mapping, words),
    }),
    put: (draft) => ask(api.PUT("/api/admin/settings/oidc", { body: bodyOf(draft) })),
    queryKey: key,
    affects: ["auth-config"],
    onDirty,
  });
  const { form, attempt, dirty, unfit, save } = settings;
  const submit = async () => {
    if (dirty && !unfit && stored.local_login && !bodyOf(form.values).local_login) setAsking(true);
    else await save();
  };
  const confirmed = () =>
    save().catch((error: unknown) => {
      if (isProblem(error) && error.fields.length > 0) setAsking(false); // the fields are behind the question
      throw error;
    });
  return (
    <>
      <SettingsForm settings={settings} intro={words.intro} onSubmit={submit} asking={asking}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap="md">
            <Provider form={form} stored={stored} />
            <Ways form={form} />
          </Stack>
          <Stack gap="md">
            <Accounts form={form} />
            <Roles form={form} />
            <Organizations form={form} />
          </Stack>
        </SimpleGrid>
      </SettingsForm>
      <SwitchOff attempt={attempt} opened={asking} onClose={() => setAsking(false)} onConfirm={confirmed} />
    </>
  );
}

type SwitchOffProps = { attempt: Attempt; opened: boolean; onClose: () => void; onConfirm: () => Promise<void> };

/** SwitchOff asks before everybody depends on the provider. */
function SwitchOff({ attempt, opened, onClose, onConfirm }: SwitchOffProps) {
  const words = useText().settings.signon.confirm;
  const [tried, setTried] = useState(false);
  useEffect(() => {
    if (opened) setTried(false);
  }, [opened]);
  return (
    <ConfirmDialog
      attempt={attempt}
      opened={opened}
      onClose={onClose}
      onConfirm={onConfirm}
      title={words.title}
      action={words.action}
      disabled={!tried}
      danger
    >
      <Text size="sm">{words.text}</Text>
      <Checkbox label={words.tried} checked={tried} onChange={(e) => setTried(e.currentTarget.checked)} />
    </ConfirmDialog>
  );
}
