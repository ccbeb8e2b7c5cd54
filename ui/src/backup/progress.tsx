import { Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { Steps } from "../parts/steps";
import { When } from "../parts/when";
import { bytes } from "../system/measure";
import { Meter } from "../system/meter";
import { type Catalogue, useLanguage, useText } from "../text";
import { counted } from "./counted";
import { type Step, steps } from "./phases";
import type { Job } from "./types";

/** phaseName is a phase in words. */
export function phaseName(t: Catalogue, phase: string): string {
  return t.backups.running.phases[phase] ?? phase;
}

/** JobProgress shows how far a job is: its phases, a bar, and what is known of it. */
export function JobProgress({ job }: { job: Job }) {
  const t = useText();
  const words = t.backups.running;
  const language = useLanguage();
  const percent = new Intl.NumberFormat(language, { style: "percent" }).format(job.progress_percent / 100);
  const shown = steps(job).filter((s): s is Step & { how: Exclude<Step["how"], "left_out"> } => s.how !== "left_out");
  const at = shown.findIndex((s) => s.how === "now");
  const here = shown[at];
  return (
    <Stack gap="sm">
      <Steps
        label={words.steps}
        steps={shown.map(({ phase, how }) => ({
          name: phaseName(t, phase),
          how,
          note: how === "now" ? counted(words.counted, job.progress, language) : null,
        }))}
      />
      {/* Each phase is said once; every percent would be too much. */}
      <VisuallyHidden role="status">
        {here ? words.step(at + 1, shown.length, phaseName(t, here.phase)) : words.waiting}
      </VisuallyHidden>
      <Meter label={words.progress(percent)} parts={[{ share: job.progress_percent / 100, tone: "good" }]} />
      <Group justify="space-between" gap="xs">
        <Text size="sm" c="dimmed" component="div">
          {job.cancel_requested ? (
            words.cancelled
          ) : job.status === "Pending" ? (
            words.waiting
          ) : (
            <>
              {words.since} <When at={job.started_at ?? job.created_at} /> <Starter job={job} />
            </>
          )}
        </Text>
        <Text size="sm" c="dimmed" className="numbers">
          {job.size_bytes > 0 ? `${words.size(bytes(job.size_bytes, language))} · ` : ""}
          {percent}
        </Text>
      </Group>
    </Stack>
  );
}

/** Starter says who asked for a job. */
export function Starter({ job }: { job: Job }) {
  const words = useText().backups.jobs;
  if (job.scheduled) return words.scheduled;
  return job.triggered_by ? words.by(job.triggered_by.username) : words.command;
}
