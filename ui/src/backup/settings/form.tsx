import { SimpleGrid, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { Loaded } from "../../parts/page";
import { AttemptAlert, done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { SaveBar } from "../../system/savebar";
import { useText } from "../../text";
import { putSettings } from "../calls";
import { bodyOf, type Draft, draftOf, incomplete, type Part, wrongWith } from "../draft";
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
  const t = useText();
  const words = t.backups.settings;
  const queries = useQueryClient();
  const recently = useRecent();
  const [edited, setEdited] = useState<Draft | null>(null);
  const attempt = useAttempt();
  const { busy, clear } = attempt;
  const draft = edited ?? draftOf(stored);
  const dirty = edited !== null && JSON.stringify(edited) !== JSON.stringify(draftOf(stored));
  useEffect(() => onDirty(dirty), [dirty, onDirty]);

  // What the page itself can tell comes before what the server said last.
  const own = wrongWith(draft, words);
  const wrong = (field: string) => attempt.field(field, own[field]);
  const unfit = incomplete(draft) || Object.keys(own).length > 0;

  const save = async () => {
    if (!dirty || unfit) return;
    const answer = await recently(() => putSettings(bodyOf(draft)));
    queries.setQueryData(settingsKey, answer);
    setEdited(null);
    done(t.settings.saved);
    await queries.invalidateQueries({ queryKey: ["backups", "list"] });
  };
  const discard = () => {
    setEdited(null);
    clear();
  };
  const onChange = (change: Partial<Draft>) => setEdited({ ...draft, ...change });
  const part: Part = { draft, stored, wrong, dirty, onChange };
  return (
    <form onSubmit={attempt.submit(save)} noValidate>
      <Stack gap="md">
        <Text size="sm" c="dimmed" maw={720}>
          {words.intro}
        </Text>
        <AttemptAlert attempt={attempt} />
        <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
          <Stack gap="md">
            <PasswordPart {...part} />
            <When {...part} />
          </Stack>
          <Stack gap="md">
            <Store {...part} />
          </Stack>
        </SimpleGrid>
        {dirty ? <SaveBar busy={busy} disabled={unfit} onDiscard={discard} /> : null}
      </Stack>
    </form>
  );
}
