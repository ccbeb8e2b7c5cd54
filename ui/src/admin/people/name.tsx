import { TextInput } from "@mantine/core";
import type { Attempt } from "../../parts/attempt";
import { useText } from "../../text";

type Props = { value: string; onChange: (name: string) => void; attempt: Attempt };

/** NameField is a person's full name, which nobody has to give. */
export function NameField({ value, onChange, attempt }: Props) {
  return (
    <TextInput
      label={useText().people.fields.name}
      autoComplete="off"
      maxLength={128}
      value={value}
      error={attempt.field("name")}
      onChange={(e) => onChange(e.currentTarget.value)}
    />
  );
}
