import { Input, SegmentedControl, Stack, Text, useMantineColorScheme } from "@mantine/core";
import { Panel } from "../parts/page";
import { useChooseLanguage } from "../shell/language";
import { type Language, languages, useSpoken, useText } from "../text";

const schemes = ["light", "dark", "auto"] as const;

/** Look chooses appearance and language for this browser; messages speak the language, too. */
export function Look() {
  const t = useText();
  const words = t.profile.look;
  const language = useSpoken();
  const choose = useChooseLanguage();
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Panel title={words.title}>
      <Stack gap="md">
        <Input.Wrapper label={t.common.scheme.label} labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label={t.common.scheme.label}
            value={colorScheme}
            onChange={(value) => setColorScheme(schemes.find((s) => s === value) ?? "auto")}
            data={schemes.map((value) => ({ value, label: t.common.scheme[value] }))}
          />
        </Input.Wrapper>
        <Input.Wrapper label={t.common.language} labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label={t.common.language}
            value={language}
            onChange={(value) => choose(value === "de" ? "de" : "en")}
            data={(Object.keys(languages) as Language[]).map((value) => ({
              value,
              label: <span lang={value}>{languages[value]}</span>,
            }))}
          />
        </Input.Wrapper>
        <Text size="xs" c="dimmed">
          {words.kept}
        </Text>
      </Stack>
    </Panel>
  );
}
