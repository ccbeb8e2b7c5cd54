import { Button } from "@mantine/core";
import {
  IconBan,
  IconCircleCheck,
  IconKey,
  IconLockOpen,
  IconMailForward,
  IconPencil,
  IconUsb,
} from "@tabler/icons-react";
import type { ReactNode } from "react";
import type { Schema } from "../../api/client";
import { useMay, useMe } from "../../session/hooks";
import { useText } from "../../text";
import type { Access } from "./access";
import { isLocked } from "./list";
import type { Next } from "./next";

type Props = {
  user: Schema<"User">;
  access: Access;
  /** What the page proposes already: it stands there. */
  proposed: Next["what"] | undefined;
  onEdit: () => void;
  onAssign: () => void;
};

/** PersonActions are all that can be done with an account, whatever the page proposes. */
export function PersonActions({ user, access, proposed, onEdit, onAssign }: Props) {
  const t = useText();
  const words = t.people.access;
  const may = useMay();
  const self = user.id === useMe().id;
  const { busy } = access;
  return (
    <>
      <Action icon={IconPencil} onClick={onEdit}>
        {t.person.edit}
      </Action>
      {isLocked(user) && proposed !== "unlock" ? (
        <Action icon={IconLockOpen} disabled={busy} onClick={access.unlock}>
          {words.unlock}
        </Action>
      ) : null}
      {user.waiting && user.is_active && proposed !== "invite" && proposed !== "invited" ? (
        <Action icon={IconMailForward} disabled={busy} onClick={access.invite}>
          {t.people.invite.action}
        </Action>
      ) : null}
      {user.is_active && may("register-hwkey") && proposed !== "assign" ? (
        <Action icon={IconUsb} onClick={onAssign}>
          {t.person.assign.action}
        </Action>
      ) : null}
      <Action icon={IconKey} disabled={busy || self || user.auth_source === "oidc"} onClick={access.reset}>
        {words.reset}
      </Action>
      {user.is_active ? (
        <Action icon={IconBan} danger disabled={busy || self} onClick={access.leave}>
          {words.disable}
        </Action>
      ) : (
        <Action icon={IconCircleCheck} disabled={busy} onClick={access.enable}>
          {words.enable}
        </Action>
      )}
    </>
  );
}

type ActionProps = {
  icon: typeof IconKey;
  danger?: boolean;
  disabled?: boolean;
  onClick: () => void;
  children: ReactNode;
};

function Action({ icon: Icon, danger = false, disabled = false, onClick, children }: ActionProps) {
  return (
    <Button
      variant={danger ? "light" : "default"}
      color={danger ? "red" : undefined}
      leftSection={<Icon size={16} aria-hidden />}
      disabled={disabled}
      onClick={onClick}
    >
      {children}
    </Button>
  );
}
