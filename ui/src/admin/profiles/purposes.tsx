import { TagsInput, Text } from "@mantine/core";
import { type ReactNode, useState } from "react";
import { purposeNames } from "../../certificates/x509";
import { useText } from "../../text";

type Props = { value: string[]; onChange: (purposes: string[]) => void; error: ReactNode };

/** Purposes takes extended key usages: names, or OIDs for those without one here. */
export function Purposes(props: Props) {
  const t = useText();
  const { form, purposes } = t.profiles;
  const [typed, setTyped] = useState("");
  const said: Readonly<Record<string, string>> = purposes;
  return (
    <TagsInput
      label={form.purposes}
      description={form.purposesHint}
      data={purposeNames}
      maxTags={20}
      splitChars={[",", " "]}
      acceptValueOnBlur
      searchValue={typed}
      onSearchChange={setTyped}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{said[option.value] ?? option.value}</Text>
          <Text size="xs" c="dimmed" className="mono">
            {option.value}
          </Text>
        </div>
      )}
      // The listbox itself scrolls, so that assistive technology knows what does.
      withScrollArea={false}
      styles={{
        pill: { fontFamily: "var(--mantine-font-family-monospace)" },
        options: { maxHeight: 300, overflowY: "auto" },
      }}
      {...props}
    />
  );
}
