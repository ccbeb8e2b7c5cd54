import { Table } from "@mantine/core";
import { type ReactNode, useSyncExternalStore } from "react";
import { type Breakpoint, fits } from "./columns";

type Props = { id: string; columns: readonly { from?: Breakpoint }[]; children: ReactNode };

/** DetailRow lies below its row, over the columns that there is room for: one more would push the others aside. */
export function DetailRow({ id, columns, children }: Props) {
  const shown = useSyncExternalStore(onResize, () => columns.filter((c) => fits(c.from)).length);
  return (
    <Table.Tr id={id} bg="var(--page)">
      <Table.Td colSpan={shown + 1}>{children}</Table.Td>
    </Table.Tr>
  );
}

function onResize(changed: () => void): () => void {
  addEventListener("resize", changed);
  return () => removeEventListener("resize", changed);
}
