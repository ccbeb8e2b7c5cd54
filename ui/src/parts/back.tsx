import { IconArrowLeft } from "@tabler/icons-react";
import { useLocation, useRouter } from "@tanstack/react-router";
import type { MouseEvent } from "react";
import { useMay, useMe } from "../session/hooks";
import { places } from "../shell/navigation";
import { useText } from "../text";
import { TextLink } from "./link";
import { useOrigin } from "./origin";

/** Back leads to the list from which this page was opened, as it stood; nothing while that is not known. */
export function Back() {
  const words = useText().common.navigation;
  const router = useRouter();
  const origin = useOrigin();
  const may = useMay();
  const { role } = useMe();
  const { state } = useLocation();
  if (!origin) return null;
  const { pathname, search, trail, index } = origin;
  const found = places(may, role)
    .flatMap((group) => group.links)
    .find((link) => link.to === pathname);
  if (!found) return null;
  // One step back the browser knows more: how far down somebody had read.
  const near = state.__TSR_index - index === 1;
  const back = (e: MouseEvent) => {
    if (!near || e.button !== 0 || e.metaKey || e.ctrlKey || e.shiftKey || e.altKey) return;
    e.preventDefault();
    router.history.back();
  };
  return (
    <TextLink to={pathname as "/"} search={search as never} state={trail ? { trail } : {}} size="sm" onClick={back}>
      <IconArrowLeft size={14} aria-hidden style={{ verticalAlign: -2 }} /> {words[found.text]}
    </TextLink>
  );
}
