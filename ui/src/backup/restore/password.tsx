import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import type { Attempt } from "../../parts/attempt";
import { AttemptAlert } from "../../parts/problem";
import { useText } from "../../text";
import { validate } from "../calls";
import type { Header, Item } from "../types";
import { Named } from "./choose";

type Props = {
  item: Item;
  value: string;
  onChange: (password: string) => void;
  attempt: Attempt;
  onBack: () => void;
  onClose: () => void;
  /** The password opens the backup, which says this of itself. */
  onRight: (header: Header) => void;
};

/** Password asks for the password of the backup, and has it checked. */
export function Password({ item, value, onChange, attempt, onBack, onClose, onRight }: Props) {
  const t = useText();
  const words = t.backups.restore;
  const [wrong, setWrong] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  const check = async () => {
    const { valid, header } = await validate(item.key, value);
    if (valid && header) return onRight(header);
    setWrong(true);
    input.current?.select();
  };
  const { busy } = attempt;
  return (
    <form onSubmit={attempt.submit(check)} noValidate>
      <Stack>
        <Text size="sm">
          <Named item={item} />
        </Text>
        <PasswordInput
          ref={input}
          label={words.password.label}
          description={words.password.hint}
          autoComplete="off"
          maxLength={1024}
          value={value}
          error={attempt.field("password", wrong ? words.password.wrong : undefined)}
          onChange={(e) => {
            setWrong(false);
            onChange(e.currentTarget.value);
          }}
        />
        <AttemptAlert attempt={attempt} />
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="gray" disabled={busy} onClick={onClose}>
            {t.common.actions.cancel}
          </Button>
          <Button variant="default" disabled={busy} onClick={onBack}>
            {words.back}
          </Button>
          <Button type="submit" loading={busy} disabled={!value}>
            {words.password.check}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
