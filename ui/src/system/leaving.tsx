import { Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { useText } from "../text";

/** Leaving asks before a page with unsaved changes is left, by a link or by closing the tab. */
export function Leaving({ dirty }: { dirty: boolean }) {
  const t = useText();
  const words = t.settings.leave;
  const blocker = useBlocker({
    // The tabs of the page differ in the search alone, and keep what was typed.
    shouldBlockFn: ({ current, next }) => dirty && current.pathname !== next.pathname,
    enableBeforeUnload: () => dirty,
    withResolver: true,
  });
  return (
    <Modal
      opened={blocker.status === "blocked"}
      onClose={() => blocker.reset?.()}
      title={words.title}
      closeButtonProps={{ "aria-label": t.common.actions.close }}
    >
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
    </Modal>
  );
}
