import { SimpleGrid, Stack } from "@mantine/core";
import { Loaded } from "../../parts/page";
import { SettingsForm, useSettingsForm } from "../../system/settingsform";
import { useText } from "../../text";
import { putSettings } from "../calls";
import { bodyOf, type Draft, draftOf, incomplete, wrongWith } from "../draft";
import { settingsKey, useSettings } from "../queries";
import type { Stored } from "../types";
import { PasswordPart } from "./password";
import { Store } from "./store";
import { When } from "./when";

/** BackupSettings shows and changes where backups go, when, and with which password. */
export function BackupSettings({ onDirty }: { onDirty: (dirty: boolean) => void }) {
  const query = useSettings();
  return (
    <Loaded query={query} height={700}>
      {(stored) => <Form stored={stored} onDirty={onDirty} />}
    </Loaded>
  );
}

function Form({ stored, onDirty }: { stored: Stored; onDirty: (dirty: boolean) => void }) {
  const words = useText().backups.settings;
  const settings = useSettingsForm({
    stored,
    draftOf,
    find: (draft: Draft) => wrongWith(draft, words),
    incomplete,
    put: (draft) => putSettings(bodyOf(draft)),
    queryKey: settingsKey,
    affects: ["backups", "list"],
    onDirty,
  });
  const { form, dirty } = settings;
  return (
    <SettingsForm settings={settings} intro={words.intro}>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="md">
          <PasswordPart form={form} stored={stored} />
          <When form={form} />
        </Stack>
        <Stack gap="md">
          <Store form={form} stored={stored} dirty={dirty} />
        </Stack>
      </SimpleGrid>
    </SettingsForm>
  );
}
