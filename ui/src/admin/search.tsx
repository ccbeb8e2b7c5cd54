import { CloseButton, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useText } from "../text";
import { useTyped } from "./typed";

type Props = { label: string; value: string | undefined; onChange: (value: string | undefined) => void };

/** SearchBox tells what was typed when the typing pauses. */
export function SearchBox({ label, value = "", onChange }: Props) {
  const t = useText();
  const [text, setText] = useTyped(value, (next) => onChange(next || undefined));
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={128}
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text ? (
          <CloseButton
            size="sm"
            aria-label={t.common.actions.clear}
            onClick={() => {
              setText("");
              onChange(undefined);
            }}
          />
        ) : null
      }
      style={{ flex: "1 1 200px", maxWidth: 340 }}
    />
  );
}
