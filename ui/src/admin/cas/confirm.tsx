import { Text } from "@mantine/core";
import { api, ask } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import { Warning } from "../../parts/warning";
import { useText } from "../../text";
import { useChange } from "./change";
import type { CA } from "./queries";
import { nameOf, rootOf } from "./step";

type Props = { ca: CA; opened: boolean; onClose: () => void };

/** ActivateDialog asks before a CA signs all certificates. */
export function ActivateDialog({ ca, all, opened, onClose }: Props & { all: readonly CA[] }) {
  const words = useText().cas.activate;
  const change = useChange();
  const name = nameOf(ca.subject);
  const before = all.find((other) => other.state === "active");
  const path = { id: ca.id };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={() =>
        change(() => ask(api.POST("/api/admin/cas/{id}/activate", { params: { path } })), words.done(name))
      }
      title={words.title(name)}
      action={words.submit}
    >
      <Text size="sm">{words.text(nameOf(before?.subject ?? ""))}</Text>
      <Warning>{words.trust(nameOf(rootOf(ca)?.subject ?? ""))}</Warning>
    </ConfirmDialog>
  );
}

/** WithdrawDialog asks before the key of a request is lost. */
export function WithdrawDialog({ ca, opened, onClose }: Props) {
  const words = useText().cas.withdraw;
  const change = useChange();
  const path = { id: ca.id };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={() => change(() => ask(api.DELETE("/api/admin/cas/{id}", { params: { path } })), words.done)}
      title={words.title(nameOf(ca.subject))}
      action={words.submit}
      danger
    >
      <Text size="sm">{words.text}</Text>
    </ConfirmDialog>
  );
}
