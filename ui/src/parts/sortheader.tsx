import { Group, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Sorted } from "./list";

const signs = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort };

type Props = { sorted: Sorted; onClick: () => void; children: ReactNode };

/** SortHeader is a column's name that a click sorts by. The order itself stands in the column's aria-sort. */
export function SortHeader({ sorted, onClick, children }: Props) {
  const Sign = signs[sorted];
  return (
    <UnstyledButton onClick={onClick} fz="inherit" fw="inherit" c="inherit" mih={24}>
      <Group component="span" gap={4} wrap="nowrap">
        {children}
        <Sign size={14} aria-hidden opacity={sorted === "none" ? 0.6 : 1} />
      </Group>
    </UnstyledButton>
  );
}
