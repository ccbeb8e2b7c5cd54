import { Text } from "@mantine/core";
import { OnceDialog } from "../../parts/shownonce";
import { useText } from "../../text";

type Props = { title: string; value: string | null; onDone: () => void };

/** SecretDialog shows a signing secret this once, and how a receiver uses it. */
export function SecretDialog({ title, value, onDone }: Props) {
  const words = useText().webhooks.secret;
  return (
    <OnceDialog
      title={title}
      size="lg"
      label={words.label}
      value={value}
      warning={words.warning}
      done={words.done}
      onDone={onDone}
    >
      <Text size="sm" c="dimmed">
        {words.how}
      </Text>
    </OnceDialog>
  );
}
