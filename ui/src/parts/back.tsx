import { Group } from "@mantine/core";
import { useLocation, useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useMay, useMe } from "../session/hooks";
import { places } from "../shell/navigation";
import { useText } from "../text";
import { BackLink } from "./link";
import { Neighbours } from "./neighbourlinks";
import { useOrigin } from "./origin";

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
  const { state } = useLocation();
  if (!origin) return null;
  const { pathname, search, trail, index } = origin;
  const [, kind, id] = /^\/(tokens|certificates)\/([^/]+)(?:\/replace)?$/.exec(pathname) ?? [];
  const place = places(may, role)
    .flatMap((group) => group.links)
    .filter((link) => link.to !== "/" || pathname === "/")
    .find((link) => pathname === link.to || pathname.startsWith(`${link.to}/`));
  if (!place) return null;
  if (!kind && place.to !== pathname) {
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
  const name = kind === "tokens" ? `${t.certificates.columns.token} ${id}` : t.certificates.columns.name;
  return (
    <BackLink to={pathname as "/"} search={search as never} state={trail ? { trail } : {}} onClick={back}>
      {kind ? name : t.common.navigation[place.text]}
    </BackLink>
  );
}
