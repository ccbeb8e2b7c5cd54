import { Alert, Stack, Switch, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Panel } from "../../parts/page";
import { useText } from "../../text";
import type { Part } from "./provider";

/** Ways says how else people get in, and what signing out ends. */
export function Ways({ draft, onChange, wrong }: Part) {
  const words = useText().settings.signon;
  const local = draft.local_login || !draft.enabled;
  return (
    <Panel title={words.ways}>
      <Stack>
        <Switch
          label={words.logout}
          checked={draft.logout_at_provider}
          onChange={(e) => onChange({ logout_at_provider: e.currentTarget.checked })}
        />
        <Switch
          label={words.trustPrompt}
          description={words.trustPromptHint}
          checked={draft.trust_prompt}
          onChange={(e) => onChange({ trust_prompt: e.currentTarget.checked })}
        />
        {draft.trust_prompt ? (
          <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <Text size="sm">{words.trustPromptWarning}</Text>
          </Alert>
        ) : null}
        <Switch
          label={words.local}
          description={draft.enabled ? words.localHint : words.localNeeded}
          checked={local}
          disabled={!draft.enabled}
          error={wrong("local_login")}
          onChange={(e) => onChange({ local_login: e.currentTarget.checked })}
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
