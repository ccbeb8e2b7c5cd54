import { useDebouncedCallback } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";

/**
 * useTyped holds what is being typed, and tells it when the typing pauses. It
 * follows the value from outside, as the back button changes it.
 */
export function useTyped(value: string, onChange: (value: string) => void): [string, (value: string) => void] {
  const [text, setText] = useState(value);
  const told = useRef(value);
  useEffect(() => {
    if (value !== told.current) setText(value);
    told.current = value;
  }, [value]);
  const later = useDebouncedCallback((next: string) => {
    told.current = next;
    onChange(next);
  }, 350);
  return [
    text,
    (next) => {
      setText(next);
      later(next.trim());
    },
  ];
}
