import { Button, CopyButton, Group, Modal, Stack, Textarea } from "@mantine/core";
import { IconCheck, IconCopy } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { useText } from "../text";
import { type Attempt, useAttempt } from "./attempt";
import { Dialog } from "./form";
import { Warning } from "./warning";

type Props = {
  /** Names the secret: "Signing secret". */
  label: string;
  value: string;
  /** What happens when it is not stored now. */
  warning: string;
  /** The word on the button that puts it away. */
  done: string;
  onDone: () => void;
  /** How it is used. */
  children?: ReactNode;
};

/**
 * ShownOnce shows a secret that the server gives only once. Its dialog should
 * close by this button alone, so that a stray click does not lose the secret.
 */
export function ShownOnce({ label, value, warning, done, onDone, children }: Props) {
  const t = useText();
  return (
    <Stack>
      <Warning>{warning}</Warning>
      <Textarea
        label={label}
        value={value}
        readOnly
        autosize
        spellCheck={false}
        data-autofocus
        onFocus={(e) => e.currentTarget.select()}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)", wordBreak: "break-all" } }}
      />
      <CopyButton value={value} timeout={4000}>
        {({ copied, copy }) => (
          <Button
            variant="light"
            onClick={copy}
            leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          >
            {copied ? t.common.actions.copied : t.common.actions.copy}
          </Button>
        )}
      </CopyButton>
      {children}
      <Group justify="flex-end">
        <Button onClick={onDone}>{done}</Button>
      </Group>
    </Stack>
  );
}

/** onceProps keep a dialog open that shows such a secret. */
const onceProps = { closeOnClickOutside: false, closeOnEscape: false, withCloseButton: false } as const;

type DialogProps = Omit<Props, "value"> & {
  title: string;
  /** null: it is closed. */
  value: string | null;
  size?: string;
};

/** OnceDialog shows such a secret over the page. */
export function OnceDialog({ title, value, size, ...once }: DialogProps) {
  return (
    <Modal opened={value !== null} onClose={once.onDone} size={size} title={title} {...onceProps}>
      {value === null ? null : <ShownOnce value={value} {...once} />}
    </Modal>
  );
}

type MakeProps<Made> = {
  opened: boolean;
  onClose: () => void;
  size?: string;
  title: (made: Made | null) => string;
  form: (how: { attempt: Attempt; onMade: (made: Made) => void; onClose: () => void }) => ReactNode;
  /** What was made, with ShownOnce. */
  secret: (made: Made, onDone: () => void) => ReactNode;
};

/** MakeDialog asks for what a new thing needs, and then shows the secret of it this once. */
export function MakeDialog<Made>({ opened, onClose, size, title, form, secret }: MakeProps<Made>) {
  const [made, setMade] = useState<Made | null>(null);
  const attempt = useAttempt();
  const close = () => {
    setMade(null);
    onClose();
  };
  return (
    <Dialog
      attempt={attempt}
      opened={opened}
      onClose={close}
      size={size}
      title={title(made)}
      {...(made ? onceProps : {})}
    >
      {made ? secret(made, close) : form({ attempt, onMade: setMade, onClose: close })}
    </Dialog>
  );
}
