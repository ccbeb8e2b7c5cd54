import type { AnchorProps } from "@mantine/core";
import type { ReactNode } from "react";
import { useMay } from "../session/hooks";
import { TextLink } from "./link";

type Props = Pick<AnchorProps, "size" | "fw" | "inherit" | "style"> & { id: number; children: ReactNode };

/** PersonLink leads to a person's page, for whoever may look at people. */
export function PersonLink({ id, children, ...look }: Props) {
  const may = useMay()("get-user");
  if (!may) return children;
  return (
    <TextLink to="/admin/people/$id" params={{ id: String(id) }} {...look}>
      {children}
    </TextLink>
  );
}

/** OrganizationLink leads to an organization's page likewise. */
export function OrganizationLink({ id, children, ...look }: Props) {
  const may = useMay()("get-organization");
  if (!may) return children;
  return (
    <TextLink to="/admin/organizations/$id" params={{ id: String(id) }} {...look}>
      {children}
    </TextLink>
  );
}
