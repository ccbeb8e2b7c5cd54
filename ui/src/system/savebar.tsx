import { Button, Group, Text } from "@mantine/core";
import { useText } from "../text";
import classes from "./savebar.module.css";

type Props = { busy: boolean; disabled?: boolean; onDiscard: () => void };

/** SaveBar stays in sight while a form has changes that are not saved. Its form saves by submitting. */
export function SaveBar({ busy, disabled = false, onDiscard }: Props) {
  const words = useText().settings;
  return (
    <Group className={classes.bar} justify="space-between" gap="xs">
      <Text size="sm" fw={600} role="status">
        {words.unsaved}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={onDiscard} disabled={busy}>
          {words.discard}
        </Button>
        <Button type="submit" loading={busy} disabled={disabled}>
          {words.save}
        </Button>
      </Group>
    </Group>
  );
}
