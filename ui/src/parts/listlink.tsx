import type { ReactNode } from "react";
import { TextLink } from "./link";

/** A list, narrowed to what a number counts. */
export type Listed = {
  to: "/admin/tokens" | "/admin/people" | "/certificates" | "/admin/audit";
  search: Record<string, string | number | undefined>;
};

/** NumberLink is a number that leads to the list of what it counts; said: what it says to whoever sees no chart. */
export function NumberLink({ list, said, children }: { list: Listed | undefined; said: string; children: ReactNode }) {
  if (!list) return children;
  return (
    <TextLink to={list.to} search={list.search as never} className="numbers target" inherit aria-label={said}>
      {children}
    </TextLink>
  );
}
