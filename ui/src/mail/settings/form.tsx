import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { AttemptAlert, done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { SaveBar } from "../../system/savebar";
import { useText } from "../../text";
import { putSettings, type Stored } from "../calls";
import { bodyOf, type Draft, draftOf, type Part, wrongWith } from "../draft";
import { settingsKey } from "../queries";
import { Sender } from "./sender";
import { Server } from "./server";
import { TestMessage } from "./test";

type Props = { stored: Stored; onDirty: (dirty: boolean) => void };

/** MailSettings shows and changes how mail is sent, and tries it. */
export function MailSettings({ stored, onDirty }: Props) {
  const t = useText();
  const words = t.mail.settings;
  const queries = useQueryClient();
  const recently = useRecent();
  const [edited, setEdited] = useState<Draft | null>(null);
  const attempt = useAttempt();
  const { busy, clear } = attempt;
  const draft = edited ?? draftOf(stored);
  const dirty = edited !== null && JSON.stringify(edited) !== JSON.stringify(draftOf(stored));
  useEffect(() => onDirty(dirty), [dirty, onDirty]);

  // What the page itself can tell comes before what the server said last.
  const own = wrongWith(draft, stored, words);
  const wrong = (field: string) => attempt.field(field, own[field]);
  const unfit = Object.keys(own).length > 0;

  const save = async () => {
    if (!dirty || unfit) return;
    const answer = await recently(() => putSettings(bodyOf(draft)));
    queries.setQueryData(settingsKey, answer);
    setEdited(null);
    done(t.settings.saved);
    await queries.invalidateQueries({ queryKey: ["notifications"] });
  };
  const discard = () => {
    setEdited(null);
    clear();
  };
  const onChange = (change: Partial<Draft>) => setEdited({ ...draft, ...change });
  const part: Part = { draft, stored, wrong, dirty, onChange };
  return (
    <Stack gap="md">
      <form onSubmit={attempt.submit(save)} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed" maw={720}>
            {words.intro}
          </Text>
          <AttemptAlert attempt={attempt} />
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Server {...part} />
            <Stack gap="md">
              <Sender {...part} />
            </Stack>
          </SimpleGrid>
          {dirty ? <SaveBar busy={busy} disabled={unfit} onDiscard={discard} /> : null}
        </Stack>
      </form>
      <TestMessage stored={stored} dirty={dirty} />
    </Stack>
  );
}
