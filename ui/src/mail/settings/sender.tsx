import { Input, SegmentedControl, Stack, Text, TextInput } from "@mantine/core";
import { Panel } from "../../parts/page";
import { type Language, languages, useText } from "../../text";
import type { Part } from "../draft";

/** Sender says who messages come from, and the language of those to people who have chosen none. */
export function Sender({ form }: Pick<Part, "form">) {
  const words = useText().mail.settings;
  const { error, ...language } = form.getInputProps("language");
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
          {...form.getInputProps("from")}
        />
        <TextInput label={words.fromName} placeholder="Keyward" maxLength={128} {...form.getInputProps("from_name")} />
        <Input.Wrapper label={words.language} labelElement="div" error={error}>
          <SegmentedControl
            fullWidth
            aria-label={words.language}
            {...language}
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
