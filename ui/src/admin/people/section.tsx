import { Group, Title } from "@mantine/core";
import type { ReactNode } from "react";

/** Section is a part of the drawer with its heading. */
export function Section({ title, aside, children }: { title: string; aside?: ReactNode; children: ReactNode }) {
  return (
    <section>
      <Group justify="space-between" mb="xs">
        <Title order={3}>{title}</Title>
        {aside}
      </Group>
      {children}
    </section>
  );
}
