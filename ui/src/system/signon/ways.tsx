import { Stack, Switch } from "@mantine/core";
import { Panel } from "../../parts/page";
import { Warning } from "../../parts/warning";
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
        {draft.trust_prompt ? <Warning role="alert">{words.trustPromptWarning}</Warning> : null}
        <Switch
          label={words.local}
          description={draft.enabled ? words.localHint : words.localNeeded}
          disabled={!draft.enabled}
          {...form.getInputProps("local_login", { type: "checkbox" })}
          checked={local}
        />
        {local ? null : <Warning role="alert">{words.localWarning}</Warning>}
      </Stack>
    </Panel>
  );
}
