import { Code, Stack, Text } from "@mantine/core";
import { ShownOnce } from "../../parts/shownonce";
import { useText } from "../../text";

/** MadeKey shows a new key this once, and how a program sends it. */
export function MadeKey({ name, apiKey, onDone }: { name: string; apiKey: string; onDone: () => void }) {
  const words = useText().keys.made;
  return (
    <ShownOnce label={words.label(name)} value={apiKey} warning={words.warning} done={words.done} onDone={onDone}>
      <Stack gap={6}>
        <Text size="sm" fw={600}>
          {words.example}
        </Text>
        <Text size="sm" c="dimmed">
          {words.exampleHint}
        </Text>
        <Code block tabIndex={0} aria-label={words.example}>
          {`read -rs KEYWARD_KEY   # ${words.paste}
curl -H "Authorization: Bearer $KEYWARD_KEY" \\
  "${location.origin}/api/hwkey?limit=5"`}
        </Code>
      </Stack>
    </ShownOnce>
  );
}
