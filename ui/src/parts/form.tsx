import { Button, Group, Modal, type ModalProps, Stack } from "@mantine/core";
import { type ReactNode, useEffect } from "react";
import { useText } from "../text";
import type { Attempt } from "./attempt";
import { AttemptAlert } from "./problem";

type DialogProps = Omit<ModalProps, "closeButtonProps"> & {
  /** What its form does: it stays open meanwhile, and forgets what went wrong when it opens anew. */
  attempt?: Attempt;
};

/** Dialog lies over the page. One with a form stays when somebody clicks beside it. */
export function Dialog({ attempt, opened, onClose, ...rest }: DialogProps) {
  const t = useText();
  const busy = attempt?.busy ?? false;
  const clear = attempt?.clear;
  useEffect(() => {
    if (opened) clear?.();
  }, [opened, clear]);
  return (
    <Modal
      opened={opened}
      onClose={() => {
        if (!busy) onClose();
      }}
      closeOnEscape={!busy}
      closeOnClickOutside={!attempt}
      closeButtonProps={{ "aria-label": t.common.actions.close, disabled: busy }}
      {...rest}
    />
  );
}

type FormProps = {
  attempt: Attempt;
  onSubmit: () => Promise<unknown>;
  /** The word on the button: a verb. */
  submit: string;
  /** Something is still missing. */
  disabled?: boolean;
  /** What is done can't be undone, or takes something away: the focus begins on Cancel. */
  danger?: boolean;
  /** Without it there is nothing to close. */
  onCancel?: () => void;
  children: ReactNode;
};

/** Form holds fields, what went wrong, and the buttons that send them or leave. */
export function Form({ attempt, onSubmit, submit, disabled, danger, onCancel, children }: FormProps) {
  const t = useText();
  const { busy } = attempt;
  return (
    <form onSubmit={attempt.submit(async () => disabled || (await onSubmit()))} noValidate>
      <Stack>
        {children}
        <AttemptAlert attempt={attempt} />
        <Group justify="flex-end" gap="xs">
          {onCancel ? (
            <Button variant="default" onClick={onCancel} disabled={busy} data-autofocus={danger ? true : undefined}>
              {t.common.actions.cancel}
            </Button>
          ) : null}
          <Button
            type="submit"
            variant={onCancel ? undefined : "default"}
            color={danger ? "red.8" : undefined}
            loading={busy}
            disabled={disabled}
          >
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
