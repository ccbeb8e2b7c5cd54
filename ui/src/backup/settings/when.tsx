import { Autocomplete, Stack, Switch, Text } from "@mantine/core";
import { Panel } from "../../parts/page";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import type { Part } from "../draft";
import { Cron } from "./cron";

const zones = Intl.supportedValuesOf("timeZone");

/** When says when a backup is made by itself, and tried, for how long it stays, and what it may go without. */
export function When({ form }: Pick<Part, "form">) {
  const words = useText().backups.settings.when;
  return (
    <Panel title={words.title}>
      <Stack>
        <Cron
          label={words.schedule}
          hint={words.scheduleHint}
          examples={words.examples}
          {...form.getInputProps("schedule")}
        />
        {form.values.schedule.trim() ? null : <Text size="sm">{words.byHand}</Text>}
        <Cron
          label={words.drills}
          hint={words.drillsHint}
          examples={words.drillExamples}
          {...form.getInputProps("drill_schedule")}
        />
        {form.values.drill_schedule.trim() ? null : <Text size="sm">{words.drillsByHand}</Text>}
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
          {...form.getInputProps("time_zone")}
        />
        <NumberField label={words.retention} min={1} max={36_500} {...form.getInputProps("retention_days")} />
        <Text size="xs" c="dimmed" mt={-8}>
          {words.retentionHint}
        </Text>
        <Switch
          label={words.audit}
          description={words.auditHint}
          {...form.getInputProps("include_audit_logs", { type: "checkbox" })}
        />
      </Stack>
    </Panel>
  );
}
