import { Modal, Text } from "@mantine/core";
import { onceProps, ShownOnce } from "../../parts/shownonce";
import { useText } from "../../text";

type Props = { title: string; value: string | null; onDone: () => void };

/** SecretDialog shows a signing secret this once, and how a receiver uses it. */
export function SecretDialog({ title, value, onDone }: Props) {
  const words = useText().webhooks.secret;
  return (
    <Modal opened={value !== null} onClose={onDone} size="lg" title={title} {...onceProps}>
      <ShownOnce label={words.label} value={value ?? ""} warning={words.warning} done={words.done} onDone={onDone}>
        <Text size="sm" c="dimmed">
          {words.how}
        </Text>
      </ShownOnce>
    </Modal>
  );
}
