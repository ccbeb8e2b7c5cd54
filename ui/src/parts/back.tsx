import { Group } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useLocation, useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { personQuery } from "../admin/queries";
import type { Schema } from "../api/client";
import { useMay, useMe } from "../session/hooks";
import { places } from "../shell/navigation";
import { useText } from "../text";
import { BackLink } from "./link";
import { Neighbours } from "./neighbourlinks";
import { organizationQuery } from "./organization";
import { useOrigin } from "./origin";
import { called } from "./person";

/** Crumb is above the title of one thing: the way back, and to what is beside it there. */
export function Crumb() {
  return (
    <Group gap="xs" wrap="nowrap">
      <Back />
      <Neighbours />
    </Group>
  );
}

/** Back leads to the page from which this page was opened, as it stood; nothing while that is not known. */
export function Back() {
  const t = useText();
  const router = useRouter();
  const origin = useOrigin();
  const may = useMay();
  const { role } = useMe();
  const queries = useQueryClient();
  const { state } = useLocation();
  if (!origin) return null;
  const { pathname, search, trail, index } = origin;
  const [, kind, id = ""] =
    /^\/(tokens|certificates|admin\/people|admin\/organizations)\/([^/]+)(?:\/replace)?$/.exec(pathname) ?? [];
  const place = places(may, role)
    .flatMap((group) => group.links)
    .filter((link) => link.to !== "/" || pathname === "/")
    .find((link) => pathname === link.to || pathname.startsWith(`${link.to}/`));
  if (!place && !kind) return null;
  if (place && !kind && place.to !== pathname) {
    // From a page that is left with what was done there, such as an import.
    return <BackLink to={place.to as "/"}>{t.common.navigation[place.text]}</BackLink>;
  }
  // One step back the browser knows more: how far down somebody had read.
  const near = index >= 0 && state.__TSR_index - index === 1;
  const back = (e: MouseEvent) => {
    if (!near || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    router.history.back();
  };
  const named = () => {
    if (kind === "tokens") return `${t.certificates.columns.token} ${id}`;
    if (kind === "certificates") return t.certificates.columns.name;
    if (kind === "admin/people") {
      const known = queries.getQueryData<Schema<"User">>(personQuery(Number(id)).queryKey);
      return known ? called(known) : t.people.columns.person;
    }
    const known = queries.getQueryData<Schema<"Organization">>(organizationQuery(Number(id)).queryKey);
    return known?.name ?? t.people.columns.organization;
  };
  return (
    <BackLink to={pathname as "/"} search={search as never} state={trail ? { trail } : {}} onClick={back}>
      {place && !kind ? t.common.navigation[place.text] : named()}
    </BackLink>
  );
}
