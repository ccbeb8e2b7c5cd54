import { ActionIcon, Group } from "@mantine/core";
import { IconChevronLeft, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { useText } from "../text";
import { useNeighbours } from "./neighbours";
import { tell } from "./problem";

/** Neighbours lead to the row before and after, in the list from which this page was opened. */
export function Neighbours() {
  const words = useText().common.paging;
  const beside = useNeighbours();
  const [turning, setTurning] = useState(false);
  if (!beside.previous && !beside.next) return null;
  const step = (go: (() => Promise<void>) | null) => async () => {
    if (!go || turning) return;
    setTurning(true);
    await go().catch(tell);
    setTurning(false);
  };
  // At an end of the list the button stays, and so does the focus on it.
  return (
    <Group gap={2} wrap="nowrap">
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={words.before}
        title={words.before}
        data-disabled={beside.previous ? undefined : true}
        aria-disabled={!beside.previous}
        onClick={step(beside.previous)}
      >
        <IconChevronLeft size={18} />
      </ActionIcon>
      <ActionIcon
        size={24}
        variant="subtle"
        color="gray"
        aria-label={words.after}
        title={words.after}
        data-disabled={beside.next ? undefined : true}
        aria-disabled={!beside.next}
        onClick={step(beside.next)}
      >
        <IconChevronRight size={18} />
      </ActionIcon>
    </Group>
  );
}
