import type { ReactNode } from "react";
import { useText } from "../text";
import { type Attempt, useAttempt } from "./attempt";
import { Dialog, Form } from "./form";

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
  /** For whoever wants to know of it, too: what went wrong with a field. */
  attempt?: Attempt;
  children: ReactNode;
};

/** ConfirmDialog asks before something of consequence is done, and shows in place what went wrong. */
export function ConfirmDialog({ onConfirm, title, action, attempt, opened, onClose, ...rest }: Props) {
  const t = useText();
  const own = useAttempt();
  const confirm = async () => {
    await onConfirm();
    onClose();
  };
  return (
    <Dialog attempt={attempt ?? own} opened={opened} onClose={onClose} closeOnClickOutside title={title}>
      <Form
        attempt={attempt ?? own}
        onSubmit={confirm}
        submit={action ?? t.common.actions.confirm}
        onCancel={onClose}
        {...rest}
      />
    </Dialog>
  );
}
