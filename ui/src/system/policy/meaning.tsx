import { List, Stack, ThemeIcon } from "@mantine/core";
import { IconCheck } from "@tabler/icons-react";
import { Panel } from "../../parts/page";
import { Warning } from "../../parts/warning";
import { useLanguage, useText } from "../../text";
import { assess, type Policy } from "./assess";

/** Meaning says at once, in plain words, what the policy in the form would do. */
export function Meaning({ policy, before }: { policy: Policy; before: Policy }) {
  const words = useText().settings.policy;
  const language = useLanguage();
  const { rules, warnings } = assess(policy, before, words, language);
  return (
    <div>
      <Panel title={words.means}>
        <Stack aria-live="polite">
          <List
            spacing={8}
            size="sm"
            center
            icon={
              <ThemeIcon size={20} radius="xl" variant="light" aria-hidden>
                <IconCheck size={13} />
              </ThemeIcon>
            }
          >
            {rules.map((rule) => (
              <List.Item key={rule}>{rule}</List.Item>
            ))}
          </List>
          {warnings.map((warning) => (
            <Warning key={warning} py="xs">
              {warning}
            </Warning>
          ))}
        </Stack>
      </Panel>
    </div>
  );
}
