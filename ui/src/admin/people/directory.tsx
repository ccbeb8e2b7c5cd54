import { TextInput } from "@mantine/core";
import type { ChangeEventHandler, ReactNode } from "react";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

type Input = { value: string; onChange: ChangeEventHandler<HTMLInputElement>; error?: ReactNode };
/** stored is the SID that the account has. */
type Props = { upn: Input; sid: Input; stored?: string | null };

/** DirectoryFields are the names of a person's Windows account. A manager sees the SID, and cannot change it. */
export function DirectoryFields({ upn, sid, stored }: Props) {
  const t = useText();
  const words = t.people.fields;
  const { optional } = t.common;
  const global = useMay()("create-organization");
  const plain = { autoComplete: "off", autoCapitalize: "none", spellCheck: false };
  return (
    <>
      <TextInput label={optional(words.upn)} description={words.upnHint} maxLength={256} {...plain} {...upn} />
      {global || stored ? (
        <TextInput
          label={optional(words.sid)}
          description={global ? words.sidHint : words.globalOnly}
          disabled={!global}
          maxLength={184}
          {...plain}
          {...sid}
        />
      ) : null}
    </>
  );
}
