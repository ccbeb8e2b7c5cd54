import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { useMediaQuery } from "@mantine/hooks";
import { IconDots } from "@tabler/icons-react";
import { type Catalogue, useText } from "../text";
import { useSlotNamed } from "./named";
import { type Action, erases, type Plan, type Request } from "./next";
import type { SlotName } from "./slots";

/** named gives an action's words on a button. */
function named(
  words: Catalogue["tokens"]["actions"],
  action: Action,
  slotNamed: (slot: SlotName) => string,
  owner?: string,
): string {
  const { label } = action;
  if (label === "renew" || label === "continue_renew" || label === "continue_certificate") {
    return words[label](slotNamed(action.slot ?? "9a"));
  }
  if (label === "enroll" && owner) return words.enrollOther(owner);
  return words[label];
}

type Props = {
  plan: Plan;
  /** The accessible name of the menu says which token it is about. */
  name: string;
  /** Set when the token is somebody else's. */
  owner?: string | undefined;
  onAct: (request: Request) => void;
};

/** Actions shows what can be done: one primary button, a few beside it, the rest in a menu. */
export function Actions({ plan, name, owner, onAct }: Props) {
  const t = useText();
  const words = t.tokens.actions;
  const slotNamed = useSlotNamed();
  const { primary, others } = plan;
  // On a narrow screen two lines have room for as many.
  const narrow = useMediaQuery("(max-width: 36em)", false, { getInitialValueInEffect: false });
  const beside = narrow ? 1 : 2;
  const tight = narrow ? { px: "sm" } : {};
  // A reset never stands where a hand may slip, unless it was begun.
  const shown = others
    .filter((a) => a.label === "continue_reset" || !erases(a.what))
    .slice(0, primary ? beside : beside + 1);
  const rest = others.filter((a) => !shown.includes(a));
  const act = ({ what, slot }: Action) => onAct(slot ? { what, slot } : { what });
  if (!primary && others.length === 0) return null;
  return (
    <Group gap="xs">
      {primary ? (
        <Button {...tight} onClick={() => act(primary)}>
          {named(words, primary, slotNamed, owner)}
        </Button>
      ) : null}
      {shown.map((a) => (
        <Button key={`${a.label}${a.slot ?? ""}`} variant="default" {...tight} onClick={() => act(a)}>
          {named(words, a, slotNamed, owner)}
        </Button>
      ))}
      {rest.length > 0 ? (
        <Menu position="bottom-start" shadow="md">
          <Menu.Target>
            <ActionIcon variant="default" size={36} aria-label={`${t.common.actions.more}: ${name}`}>
              <IconDots size={18} aria-hidden />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            {rest.map((a) => (
              <Menu.Item
                key={`${a.label}${a.slot ?? ""}`}
                color={erases(a.what) ? "red" : undefined}
                onClick={() => act(a)}
              >
                {named(words, a, slotNamed, owner)}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      ) : null}
    </Group>
  );
}
