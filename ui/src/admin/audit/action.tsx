import { Text } from "@mantine/core";
import { useText } from "../../text";
import { phrase } from "./actions";

/** ActionName says an action in words, with its own name beside them. */
export function ActionName({ action }: { action: string }) {
  const t = useText();
  const words = phrase(t.audit, action);
  if (!words) return <span className="mono">{action}</span>;
  return (
    <>
      <Text span fw={550} mr={8}>
        {words}
      </Text>
      <Text span c="dimmed" size="sm" className="mono">
        {action}
      </Text>
    </>
  );
}
