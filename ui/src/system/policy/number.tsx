import { NumberInput } from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";

type Props = {
  label: string;
  value: number;
  min: number;
  max: number;
  onChange: (value: number) => void;
  error: ReactNode;
};

/** NumberField takes a whole number between bounds; what is half typed changes nothing yet. */
export function NumberField({ label, value, min, max, onChange, error }: Props) {
  const [text, setText] = useState<number | string>(value);
  useEffect(() => setText(value), [value]);
  return (
    <NumberInput
      label={label}
      description={`${min}–${max}`}
      min={min}
      max={max}
      allowDecimal={false}
      allowNegative={false}
      value={text}
      error={error}
      onChange={(v) => {
        setText(v);
        if (typeof v === "number" && v >= min && v <= max) onChange(v);
      }}
      onBlur={() => setText(value)}
      maw={340}
    />
  );
}
