import { TextInput } from "@mantine/core";
import type { ChangeEventHandler, ReactNode } from "react";
import { useText } from "../../text";

type Props = { value: string; onChange: ChangeEventHandler<HTMLInputElement>; error: ReactNode };

/** NameField is a person's full name, which nobody has to give. */
export function NameField(input: Props) {
  const t = useText();
  return <TextInput label={t.common.optional(t.people.fields.name)} autoComplete="off" maxLength={128} {...input} />;
}
