import { Text } from "@mantine/core";
import { Fragment, type ReactNode } from "react";

/** Facts is a short list of names and values. */
export function Facts({ items }: { items: [string, ReactNode][] }) {
  return (
    <dl style={{ display: "grid", gridTemplateColumns: "auto minmax(0, 1fr)", gap: "8px 20px", margin: 0 }}>
      {items.map(([name, value]) => (
        <Fragment key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {name}
          </Text>
          <Text component="dd" size="sm" m={0} style={{ overflowWrap: "anywhere" }}>
            {value}
          </Text>
        </Fragment>
      ))}
    </dl>
  );
}
