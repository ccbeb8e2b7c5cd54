import { IconArchive, IconCircleCheck, IconClock, IconPlayerPause, IconSend } from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { Status } from "../../parts/status";
import { useText } from "../../text";
import type { CA } from "./queries";

const looks: Record<CA["state"], Omit<ComponentProps<typeof Status>, "children">> = {
  requested: { color: "blue", icon: IconSend },
  ready: { color: "blue", icon: IconClock },
  active: { color: "accent", icon: IconCircleCheck },
  retiring: { color: "gray", icon: IconPlayerPause },
  ended: { color: "gray", icon: IconArchive },
};

/** CAStatus says in a word how a CA stands. */
export function CAStatus({ state }: { state: CA["state"] }) {
  const words = useText().cas.states;
  return <Status {...looks[state]}>{words[state]}</Status>;
}
