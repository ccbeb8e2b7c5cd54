import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconMailOff, IconMailPause } from "@tabler/icons-react";
import { When } from "../parts/when";
import { useLanguage, useText } from "../text";
import type { Stored } from "./calls";
import { failureOf } from "./failure";

/** Standing says why no message is sent at the moment, and what to do about it. */
export function Standing({ settings, onSettings }: { settings: Stored; onSettings: () => void }) {
  const words = useText().mail;
  const number = new Intl.NumberFormat(useLanguage());
  const { standing, waiting } = settings;
  const open = (
    <Group>
      <Button size="xs" variant="default" onClick={onSettings}>
        {words.off.action}
      </Button>
    </Group>
  );
  if (!settings.enabled) {
    return (
      <Alert color="orange" variant="light" icon={<IconMailOff aria-hidden />} title={words.off.title}>
        <Stack gap="xs">
          <Text size="sm">{words.off.text}</Text>
          {open}
        </Stack>
      </Alert>
    );
  }
  if (!standing) return null;
  const { what, todo, reply } = failureOf(standing.error, standing.reply, words);
  return (
    <Alert role="status" color="red" variant="light" icon={<IconMailPause aria-hidden />} title={words.standing.title}>
      <Stack gap="xs">
        <Text size="sm">
          {what} {todo}
        </Text>
        <Text size="sm" component="div">
          {waiting === 1 ? words.standing.waitsOne : waiting > 0 ? words.standing.waits(number.format(waiting)) : null}
        </Text>
        <Text size="xs" component="div">
          {reply ? `${reply} · ` : null}
          {words.standing.since} <When at={standing.since} />
          {standing.next_attempt_at ? (
            <>
              {" · "}
              {words.standing.next} <When at={standing.next_attempt_at} />
            </>
          ) : null}
        </Text>
        {open}
      </Stack>
    </Alert>
  );
}
