import { Autocomplete, Button, Group, Stack, Switch, Text, TextInput } from "@mantine/core";
import { Panel } from "../../parts/page";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import type { Part } from "../draft";

const zones = Intl.supportedValuesOf("timeZone");

/** When says when a backup is made by itself, for how long it stays, and what it may go without. */
export function When({ draft, onChange, wrong }: Part) {
  const words = useText().backups.settings.when;
  return (
    <Panel title={words.title}>
      <Stack>
        <div>
          <TextInput
            label={words.schedule}
            description={words.scheduleHint}
            maxLength={128}
            spellCheck={false}
            autoComplete="off"
            styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
            value={draft.schedule}
            error={wrong("schedule")}
            onChange={(e) => onChange({ schedule: e.currentTarget.value })}
          />
          <Group gap={6} mt={6}>
            {Object.entries(words.examples).map(([cron, text]) => (
              <Button
                key={cron}
                size="compact-xs"
                variant={draft.schedule.trim() === cron ? "light" : "default"}
                aria-pressed={draft.schedule.trim() === cron}
                onClick={() => onChange({ schedule: cron })}
              >
                {text}
              </Button>
            ))}
          </Group>
        </div>
        {draft.schedule.trim() ? null : <Text size="sm">{words.byHand}</Text>}
        <Autocomplete
          label={words.zone}
          description={words.zoneHint}
          placeholder="UTC"
          data={zones}
          limit={50}
          maxLength={64}
          spellCheck={false}
          // The listbox itself scrolls, so that assistive technology knows what does.
          withScrollArea={false}
          styles={{ options: { maxHeight: 240, overflowY: "auto" } }}
          value={draft.time_zone}
          error={wrong("time_zone")}
          onChange={(time_zone) => onChange({ time_zone })}
        />
        <NumberField
          label={words.retention}
          min={1}
          max={36_500}
          value={draft.retention_days}
          error={wrong("retention_days")}
          onChange={(retention_days) => onChange({ retention_days })}
        />
        <Text size="xs" c="dimmed" mt={-8}>
          {words.retentionHint}
        </Text>
        <Switch
          label={words.audit}
          description={words.auditHint}
          checked={draft.include_audit_logs}
          onChange={(e) => onChange({ include_audit_logs: e.currentTarget.checked })}
        />
      </Stack>
    </Panel>
  );
}
