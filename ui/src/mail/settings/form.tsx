import { SimpleGrid, Stack } from "@mantine/core";
import { SettingsForm, useSettingsForm } from "../../system/settingsform";
import { useText } from "../../text";
import { putSettings, type Stored } from "../calls";
import { bodyOf, type Draft, draftOf, wrongWith } from "../draft";
import { settingsKey } from "../queries";
import { Sender } from "./sender";
import { Server } from "./server";
import { TestMessage } from "./test";

type Props = { stored: Stored; onDirty: (dirty: boolean) => void };

/** MailSettings shows and changes how mail is sent, and tries it. */
export function MailSettings({ stored, onDirty }: Props) {
  const words = useText().mail.settings;
  const settings = useSettingsForm({
    stored,
    draftOf,
    find: (draft: Draft) => wrongWith(draft, stored, words),
    put: (draft) => putSettings(bodyOf(draft)),
    queryKey: settingsKey,
    affects: ["notifications"],
    onDirty,
  });
  const { form, dirty } = settings;
  return (
    <Stack gap="md">
      <SettingsForm settings={settings} intro={words.intro}>
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Server form={form} stored={stored} />
          <Stack gap="md">
            <Sender form={form} />
          </Stack>
        </SimpleGrid>
      </SettingsForm>
      <TestMessage stored={stored} dirty={dirty} />
    </Stack>
  );
}
