import type { ReactNode } from "react";
import { Field, Fields } from "../parts/fields";

/** Facts is a list of names and values that is put together piece by piece. */
export function Facts({ items }: { items: [string, ReactNode][] }) {
  return (
    <Fields>
      {items.map(([name, value]) => (
        <Field key={name} label={name}>
          {value}
        </Field>
      ))}
    </Fields>
  );
}
