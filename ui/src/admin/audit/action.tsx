import { Text } from "@mantine/core";
import { Fragment } from "react";
import { useText } from "../../text";
import classes from "./action.module.css";
import { phrase } from "./actions";

/** ActionName says an action in words, with its own name beside them. words: better ones for this entry. */
export function ActionName({ action, words: better }: { action: string; words?: string }) {
  const t = useText();
  const known = phrase(t.audit, action);
  const words = known && (better ?? known);
  if (!words) return <span className="mono">{action}</span>;
  return (
    <>
      <Text span inherit fw={600} mr={8}>
        {words}
      </Text>
      <Text span inherit c="dimmed" className={`mono ${classes.raw}`}>
        {/* Where it does not fit, it breaks between its words. */}
        {action.split(/(?<=[._])/).map((part) => (
          <Fragment key={part}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </Text>
    </>
  );
}
