import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { Dialog } from "../parts/form";
import { useText } from "../text";

/** Leaving asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function Leaving({ dirty }: { dirty: boolean }) {
  const words = useText().settings.leave;
  const blocker = useBlocker({
    // The tabs of the page differ in the search alone, and keep what was typed.
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <Dialog opened={blocker.status === "blocked"} onClose={() => blocker.reset?.()} title={words.title}>
      <Stack>
        <Text size="sm">{words.text}</Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => blocker.proceed?.()}>
            {words.go}
          </Button>
          <Button data-autofocus onClick={() => blocker.reset?.()}>
            {words.stay}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
