import { Group, Select, UnstyledButton } from "@mantine/core";
import { IconArrowDown, IconArrowsSort, IconArrowUp } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { useText } from "../text";
import { nextOrder, type Order, sortedBy } from "./sort";

const signs = { ascending: IconArrowUp, descending: IconArrowDown, none: IconArrowsSort };

type Sort = { order: Order; natural: Order; onChange: (order: Order) => void };

/** SortHeader is a column's name that a click sorts by. The order itself stands in the column's aria-sort. */
export function SortHeader({ column, name, order, natural, onChange }: Sort & { column: string; name: ReactNode }) {
  const sorted = sortedBy(column, order);
  const Sign = signs[sorted];
  return (
    <UnstyledButton
      onClick={() => onChange(nextOrder(column, order, natural))}
      fz="inherit"
      fw="inherit"
      c="inherit"
      mih={24}
    >
      <Group component="span" gap={4} wrap="nowrap">
        {name}
        <Sign size={14} aria-hidden opacity={sorted === "none" ? 0.6 : 1} />
      </Group>
    </UnstyledButton>
  );
}

/** OrderChoice is for screens on which not every column has room, and so no name to click. */
export function OrderChoice({
  columns,
  order,
  natural,
  onChange,
}: Sort & { columns: readonly { sort?: string; header: ReactNode }[] }) {
  const words = useText().common.sorting;
  const data = columns
    .flatMap((c) =>
      c.sort && typeof c.header === "string"
        ? [
            { value: c.sort, label: words.up(c.header) },
            { value: `-${c.sort}`, label: words.down(c.header) },
          ]
        : [],
    )
    .filter((o) => o.value !== natural);
  return (
    <Select
      hiddenFrom="lg"
      size="xs"
      w={190}
      aria-label={words.order}
      allowDeselect={false}
      value={order}
      onChange={(value) => onChange(value ?? natural)}
      data={[{ value: natural, label: words.natural }, ...data]}
    />
  );
}
