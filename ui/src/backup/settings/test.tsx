import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import { useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { foundSaid } from "../../parts/explain";
import { ProblemAlert } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { milliseconds } from "../../system/measure";
import { useLanguage, useText } from "../../text";
import { testConnection } from "../calls";

/** TestConnection tries the store of the settings that are saved. */
export function TestConnection({ dirty }: { dirty: boolean }) {
  const t = useText();
  const words = t.backups.settings.test;
  const language = useLanguage();
  const { busy, problem, run } = useAttempt();
  const [found, setFound] = useState<Awaited<ReturnType<typeof testConnection>> | null>(null);
  const test = async () => {
    setFound(null);
    setFound(await testConnection());
  };
  return (
    <Stack gap="xs">
      <Group gap="sm">
        <Button variant="default" loading={busy} disabled={dirty} onClick={() => void run(test)}>
          {words.action}
        </Button>
        <Text size="sm" c="dimmed" style={{ flex: "1 1 200px" }}>
          {dirty ? words.saveFirst : words.what}
        </Text>
      </Group>
      <div role="status">
        {found?.success && !dirty ? (
          <Alert color="accent" variant="light" icon={<IconCircleCheck aria-hidden />}>
            <Text size="sm">{words.good(milliseconds(found.latency_ms, language))}</Text>
          </Alert>
        ) : null}
        {found && !found.success && !dirty ? (
          <Warning danger title={words.bad}>
            {foundSaid(found, t, language)}
          </Warning>
        ) : null}
      </div>
      {problem ? <ProblemAlert error={problem} /> : null}
    </Stack>
  );
}
