import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Copyable } from "../../parts/copy";
import { useText } from "../../text";

type Props = { password: string; mustChange: boolean; onClose: () => void };

/** PasswordOnce shows a password that nobody can read again. Whoever shows it forgets it on closing. */
export function PasswordOnce({ password, mustChange, onClose }: Props) {
  const words = useText().people.once;
  return (
    <Stack>
      <div>
        <Text size="sm" c="dimmed">
          {words.label}
        </Text>
        <Text component="div" size="xl" className="numbers">
          <Copyable value={password} label={words.label} />
        </Text>
      </div>
      <Alert color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
        <Text size="sm">
          {words.text} {mustChange ? words.mustChange : null}
        </Text>
      </Alert>
      <Group justify="flex-end">
        <Button onClick={onClose}>{words.close}</Button>
      </Group>
    </Stack>
  );
}
