import { Alert, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { Panel } from "../../parts/page";
import { AttemptAlert } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { type Stored, test } from "../calls";
import { refusedBy } from "../failure";

/** TestMessage sends a message by the settings that are saved, and says what became of it. */
export function TestMessage({ stored, dirty }: { stored: Stored; dirty: boolean }) {
  const t = useText();
  const words = t.mail.test;
  const me = useMe();
  const recently = useRecent();
  const [to, setTo] = useState(me.email);
  const [sent, setSent] = useState<string | null>(null);
  const attempt = useAttempt();
  const { busy, problem, clear } = attempt;
  // What was found is of the settings before.
  useEffect(() => {
    if (!dirty) return;
    setSent(null);
    clear();
  }, [dirty, clear]);
  const refused = refusedBy(problem, t.mail);
  const unfit = dirty || !stored.host || !to.trim();
  const send = async () => {
    if (unfit) return;
    setSent(null);
    await recently(() => test(to.trim()));
    setSent(to.trim());
  };
  return (
    <Panel title={words.title}>
      <form onSubmit={attempt.submit(send)} noValidate>
        <Stack gap="sm">
          <Group gap="sm" align="flex-end">
            <TextInput
              type="email"
              label={words.to}
              maxLength={254}
              style={{ flex: "1 1 220px", maxWidth: 340 }}
              value={to}
              error={attempt.field("to")}
              onChange={(e) => setTo(e.currentTarget.value)}
            />
            <Button type="submit" variant="default" loading={busy} disabled={unfit}>
              {words.action}
            </Button>
          </Group>
          <Text size="sm" c="dimmed">
            {dirty || !stored.host ? words.saveFirst : words.what}
          </Text>
          <div role="status">
            {sent ? (
              <Alert color="accent" variant="light" icon={<IconCircleCheck aria-hidden />} title={words.good(sent)}>
                <Text size="sm">{words.look}</Text>
              </Alert>
            ) : null}
          </div>
          {refused ? (
            <Warning danger role="alert" title={words.bad}>
              <Text size="sm">
                {refused.what} {refused.todo}
              </Text>
              {refused.reply ? (
                <Text size="xs" c="dimmed" mt={4}>
                  {refused.reply}
                </Text>
              ) : null}
            </Warning>
          ) : (
            <AttemptAlert attempt={attempt} />
          )}
        </Stack>
      </form>
    </Panel>
  );
}
