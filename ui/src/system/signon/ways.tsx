import { Alert, Stack, Switch, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import type { Part } from "./provider";

/** Ways says how else people get in, and what signing out ends. */
export function Ways({ form }: Part) {
  const words = useText().settings.signon;
  const { values: draft } = form;
  const local = draft.local_login || !draft.enabled;
  return (
    <Panel title={words.ways}>
      <Stack>
        <Switch label={words.logout} {...form.getInputProps("logout_at_provider", { type: "checkbox" })} />
        <Switch
          label={words.trustPrompt}
          description={words.trustPromptHint}
          {...form.getInputProps("trust_prompt", { type: "checkbox" })}
        />
        {draft.trust_prompt ? (
          <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <Text size="sm">{words.trustPromptWarning}</Text>
          </Alert>
        ) : null}
        <Switch
          label={words.local}
          description={draft.enabled ? words.localHint : words.localNeeded}
          disabled={!draft.enabled}
          {...form.getInputProps("local_login", { type: "checkbox" })}
          checked={local}
        />
        {local ? null : (
          <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <Text size="sm">{words.localWarning}</Text>
          </Alert>
        )}
      </Stack>
    </Panel>
  );
}
