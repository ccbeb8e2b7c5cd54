import { List, Text } from "@mantine/core";

/** Warnings lists what a job that is complete wants to be read. */
export function Warnings({ texts }: { texts: readonly string[] }) {
  const [only] = texts;
  if (only === undefined) return null;
  if (texts.length === 1) {
    return (
      <Text size="sm" style={{ overflowWrap: "anywhere" }}>
        {only}
      </Text>
    );
  }
  return (
    <List size="sm">
      {texts.map((text) => (
        <List.Item key={text} style={{ overflowWrap: "anywhere" }}>
          {text}
        </List.Item>
      ))}
    </List>
  );
}
