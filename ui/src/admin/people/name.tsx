import { TextInput } from "@mantine/core";
import type { ChangeEventHandler, ReactNode } from "react";
import { useText } from "../../text";

type Props = { value: string; onChange: ChangeEventHandler<HTMLInputElement>; error: ReactNode };

/** NameField is a person's full name, which nobody has to give. */
export function NameField(input: Props) {
  return <TextInput label={useText().people.fields.name} autoComplete="off" maxLength={128} {...input} />;
}
