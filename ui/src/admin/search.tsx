import { CloseButton, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { IconSearch } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { useText } from "../text";

type Props = { label: string; value: string | undefined; onChange: (value: string | undefined) => void };

/** SearchBox tells what was typed when the typing pauses. */
export function SearchBox({ label, value = "", onChange }: Props) {
  const t = useText();
  const [text, setText] = useState(value);
  const told = useRef(value);
  // The back button changes the value from outside.
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  const tell = (next: string) => {
    told.current = next;
    onChange(next || undefined);
  };
  const later = useDebouncedCallback((next: string) => tell(next.trim()), 300);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={label}
      maxLength={128}
      value={text}
      onChange={(e) => {
        setText(e.currentTarget.value);
        later(e.currentTarget.value);
      }}
      leftSection={<IconSearch size={16} aria-hidden />}
      rightSection={
        text ? (
          <CloseButton
            size="sm"
            aria-label={t.common.actions.clear}
            onClick={() => {
              setText("");
              tell("");
            }}
          />
        ) : null
      }
      style={{ flex: "1 1 200px", maxWidth: 340 }}
    />
  );
}
