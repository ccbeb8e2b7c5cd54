import { Checkbox, SimpleGrid, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask } from "../../api/client";
import { isProblem } from "../../api/problem";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { ConfirmDialog } from "../../parts/confirm";
import { Loaded } from "../../parts/page";
import { AttemptAlert, done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { SaveBar } from "../savebar";
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
  const words = useText().settings;
  const queries = useQueryClient();
  const recently = useRecent();
  const [edited, setEdited] = useState<Draft | null>(null);
  const attempt = useAttempt();
  const { busy, clear } = attempt;
  const [asking, setAsking] = useState(false);
  const draft = edited ?? draftOf(stored);
  const dirty = edited !== null && JSON.stringify(edited) !== JSON.stringify(draftOf(stored));
  useEffect(() => onDirty(dirty), [dirty, onDirty]);

  // What the page itself can tell comes before what the server said last.
  const own: Record<string, string | undefined> = {
    client_secret: secretMissing(draft, stored) ? words.signon.secret.again : undefined,
    role_mapping: rowsWrong(draft.role_claim, draft.roles, words.signon),
    organization_mapping: rowsWrong(draft.organization_claim, draft.organizations, words.signon),
  };
  const wrong = (field: string) => attempt.field(field, own[field]);
  const incomplete = Object.values(own).some((w) => w !== undefined);

  const put = async () => {
    const answer = await recently(() => ask(api.PUT("/api/admin/settings/oidc", { body: bodyOf(draft) })));
    queries.setQueryData(key, answer);
    setEdited(null);
    done(words.saved);
    await queries.invalidateQueries({ queryKey: ["auth-config"] });
  };
  const save = async () => {
    if (!dirty || incomplete) return;
    if (stored.local_login && !bodyOf(draft).local_login) setAsking(true);
    else await put();
  };
  const confirmed = () =>
    put().catch((error: unknown) => {
      if (isProblem(error) && error.fields.length > 0) setAsking(false); // the fields are behind the question
      throw error;
    });
  const discard = () => {
    setEdited(null);
    clear();
  };
  const part = {
    draft,
    stored,
    wrong,
    onChange: (change: Partial<Draft>) => setEdited({ ...draft, ...change }),
  };
  return (
    <>
      <form onSubmit={attempt.submit(save)} noValidate>
        <Stack gap="md">
          <Text size="sm" c="dimmed" maw={720}>
            {words.signon.intro}
          </Text>
          {asking ? null : <AttemptAlert attempt={attempt} />}
          <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
            <Stack gap="md">
              <Provider {...part} />
              <Ways {...part} />
            </Stack>
            <Stack gap="md">
              <Accounts {...part} />
              <Roles {...part} />
              <Organizations {...part} />
            </Stack>
          </SimpleGrid>
          {dirty ? <SaveBar busy={busy} disabled={incomplete} onDiscard={discard} /> : null}
        </Stack>
      </form>
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
