import { Autocomplete, Stack, Switch, Text } from "@mantine/core";
import { Panel } from "../../parts/page";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import type { Part } from "../draft";
import { Cron } from "./cron";

const zones = Intl.supportedValuesOf("timeZone");

/** When says when a backup is made by itself, and tried, for how long it stays, and what it may go without. */
export function When({ draft, onChange, wrong }: Part) {
  const words = useText().backups.settings.when;
  return (
    <Panel title={words.title}>
      <Stack>
        <Cron
          label={words.schedule}
          hint={words.scheduleHint}
          examples={words.examples}
          value={draft.schedule}
          error={wrong("schedule")}
          onChange={(schedule) => onChange({ schedule })}
        />
        {draft.schedule.trim() ? null : <Text size="sm">{words.byHand}</Text>}
        <Cron
          label={words.drills}
          hint={words.drillsHint}
          examples={words.drillExamples}
          value={draft.drill_schedule}
          error={wrong("drill_schedule")}
          onChange={(drill_schedule) => onChange({ drill_schedule })}
        />
        {draft.drill_schedule.trim() ? null : <Text size="sm">{words.drillsByHand}</Text>}
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
