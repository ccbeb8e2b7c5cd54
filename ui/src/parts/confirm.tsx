import { Button, Group, Modal, Stack } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Cancelled } from "../session/recent";
import { useText } from "../text";
import { ProblemAlert } from "./problem";

type Props = {
  opened: boolean;
  onClose: () => void;
  /** What is done; the dialog closes when it succeeded, and shows why when it did not. */
  onConfirm: () => Promise<unknown>;
  title: string;
  /** The word on the button: a verb, such as "Revoke". */
  action?: string;
  /** What is done can't be undone, or takes something away. */
  danger?: boolean;
  /** Something in the dialog is still missing. */
  disabled?: boolean;
  children: ReactNode;
};

/** ConfirmDialog asks before something of consequence is done, and shows in place what went wrong. */
export function ConfirmDialog({ opened, onClose, onConfirm, title, action, danger, disabled, children }: Props) {
  const t = useText();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    if (opened) setProblem(null);
  }, [opened]);

  const confirm = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await onConfirm();
      onClose();
    } catch (error) {
      if (!(error instanceof Cancelled)) setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (!busy) onClose();
      }}
      title={title}
      closeButtonProps={{ "aria-label": t.common.actions.close }}
    >
      <form
        onSubmit={(e) => {
          e.preventDefault();
          if (!disabled && !busy) void confirm();
        }}
      >
        <Stack>
          {children}
          {problem ? <ProblemAlert error={problem} /> : null}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose} disabled={busy} data-autofocus={danger ? true : undefined}>
              {t.common.actions.cancel}
            </Button>
            <Button type="submit" color={danger ? "red.8" : undefined} loading={busy} disabled={disabled}>
              {action ?? t.common.actions.confirm}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
