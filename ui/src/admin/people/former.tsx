import { Radio, Stack, Text } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../../parts/confirm";
import { useText } from "../../text";

type Props = {
  /** How many live certificates carry the former name; null: there is no question. */
  count: number | null;
  onClose: () => void;
  onAnswer: (revoke: boolean) => Promise<unknown>;
};

/** FormerName asks what becomes of live certificates that carry a name which the person is to lose. */
export function FormerName({ count, onClose, onAnswer }: Props) {
  const words = useText().people.former;
  const [answer, setAnswer] = useState("");
  const close = () => {
    setAnswer("");
    onClose();
  };
  return (
    <ConfirmDialog
      opened={count !== null}
      onClose={close}
      onConfirm={() => onAnswer(answer === "revoke")}
      title={words.title}
      action={words.submit}
      danger={answer === "revoke"}
      disabled={answer === ""}
    >
      <Stack gap="md">
        <Text size="sm">{words.text(count ?? 0)}</Text>
        <Radio.Group aria-label={words.title} value={answer} onChange={setAnswer}>
          <Stack gap="sm">
            <Radio data-autofocus value="revoke" label={words.revoke} description={words.revokeText} />
            <Radio value="keep" label={words.keep} description={words.keepText} />
          </Stack>
        </Radio.Group>
        <Text size="sm" c="dimmed">
          {words.reserved}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
