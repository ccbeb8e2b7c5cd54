import { Button, CloseButton, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { useAttempt } from "../parts/attempt";
import { tell } from "../parts/problem";
import type { Selection } from "./selection";
import classes from "./selectionbar.module.css";

type Props<T> = {
  selection: Selection<T>;
  /** The accessible name of the bar. */
  label: string;
  selected: string;
  /** The accessible name of the button that clears the selection. */
  clear: string;
  /** The word on the button that selects all that match; without it there is none. */
  more: string | false | undefined;
  /** all asks for them. */
  all: () => Promise<readonly T[]>;
  /** What can be done with what is selected. */
  children: ReactNode;
};

/** SelectionBar lies over the end of a list while something is selected, so that nothing moves. */
export function SelectionBar<T>({ selection, label, selected, clear, more, all, children }: Props<T>) {
  const { busy, run } = useAttempt();
  const selectAll = () =>
    run(async () => {
      try {
        selection.set(await all(), true);
      } catch (error) {
        tell(error);
      }
    });
  if (selection.chosen.length === 0) return null;
  return (
    <section className={classes.bar} aria-label={label}>
      <Text size="sm" fw={600} className="numbers" role="status">
        {selected}
      </Text>
      {more ? (
        <Button size="xs" variant="default" loading={busy} onClick={() => void selectAll()}>
          {more}
        </Button>
      ) : null}
      {children}
      <CloseButton size="sm" aria-label={clear} onClick={selection.clear} />
    </section>
  );
}
