import { Input, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { Panel } from "../../parts/page";
import { type Language, languages, useText } from "../../text";
import type { Part } from "../draft";

/** Sender says who messages come from, and the language of those to people who have chosen none. */
export function Sender({ draft, onChange, wrong }: Part) {
  const words = useText().mail.settings;
  return (
    <Panel title={words.sender}>
      <Stack>
        <TextInput
          type="email"
          label={words.from}
          description={words.fromHint}
          placeholder="keyward@example.org"
          maxLength={254}
          autoComplete="off"
          value={draft.from}
          error={wrong("from")}
          onChange={(e) => onChange({ from: e.currentTarget.value })}
        />
        <TextInput
          label={words.fromName}
          placeholder="Keyward"
          maxLength={128}
          value={draft.from_name}
          error={wrong("from_name")}
          onChange={(e) => onChange({ from_name: e.currentTarget.value })}
        />
        <Input.Wrapper label={words.language} labelElement="div" error={wrong("language")}>
          <SegmentedControl
            fullWidth
            aria-label={words.language}
            value={draft.language}
            onChange={(v) => onChange({ language: v === "de" ? "de" : "en" })}
            data={(Object.keys(languages) as Language[]).map((value) => ({
              value,
              label: <span lang={value}>{languages[value]}</span>,
            }))}
          />
        </Input.Wrapper>
        <Text size="xs" c="dimmed">
          {words.languageHint}
        </Text>
      </Stack>
    </Panel>
  );
}
