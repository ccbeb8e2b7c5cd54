import { Button, Group, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { isProblem } from "../api/problem";
import { ConfirmDialog } from "../parts/confirm";
import { Panel } from "../parts/page";
import { done } from "../parts/problem";
import { bytes, spoken } from "../system/measure";
import { useLanguage, useText } from "../text";
import { cancel } from "./calls";
import { active, stateOf, took } from "./phases";
import { JobProgress } from "./progress";
import type { Job } from "./types";
import { Warnings } from "./warnings";
import { useSaid } from "./words";

type Props = { job: Job; onDismiss: () => void };

/** RunningJob follows a job, and says how it ended. */
export function RunningJob({ job, onDismiss }: Props) {
  const words = useText().backups.running;
  const [asking, setAsking] = useState(false);
  if (!active(job)) return <Ended job={job} onDismiss={onDismiss} />;
  return (
    <Panel
      title={words.title[job.kind]}
      aside={
        <Button variant="default" size="xs" disabled={job.cancel_requested} onClick={() => setAsking(true)}>
          {words.cancel}
        </Button>
      }
    >
      <JobProgress job={job} />
      <CancelJob job={job} opened={asking} onClose={() => setAsking(false)} />
    </Panel>
  );
}

function CancelJob({ job, opened, onClose }: { job: Job; opened: boolean; onClose: () => void }) {
  const words = useText().backups.running;
  const queries = useQueryClient();
  const stop = async () => {
    try {
      await cancel(job.job_id);
      done(words.cancelled);
    } catch (error) {
      if (!isProblem(error, "conflict")) throw error; // it is over: the page shows how it ended
    } finally {
      void queries.invalidateQueries({ queryKey: ["backups", "running"] });
    }
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={stop}
      title={words.cancelTitle[job.kind]}
      action={words.cancelAction[job.kind]}
      danger
    >
      <Text size="sm">{words.cancelText[job.kind]}</Text>
    </ConfirmDialog>
  );
}

function Ended({ job, onDismiss }: Props) {
  const t = useText();
  const words = t.backups.running;
  const language = useLanguage();
  const told = useSaid(job);
  const state = stateOf(job);
  const failed = job.status === "Failed";
  const look =
    state === "Cancelled"
      ? { color: "gray", icon: IconCircleX }
      : failed
        ? { color: "red", icon: IconAlertTriangle }
        : state === "Warnings"
          ? { color: "orange", icon: IconAlertTriangle }
          : { color: "accent", icon: IconCircleCheck };
  const time = took(job);
  const facts = [
    time === null ? "" : words.took(spoken(time, language)),
    job.size_bytes > 0 && job.kind === "backup" ? words.holds(bytes(job.size_bytes, language)) : "",
  ];
  const said =
    state === "Cancelled"
      ? `${t.backups.kinds[job.kind]}: ${t.backups.jobs.states.Cancelled}`
      : words.over[job.kind][failed ? "Failed" : "Completed"];
  return (
    <Panel>
      <Group gap="md" wrap="nowrap" align="flex-start">
        <ThemeIcon size={36} radius="xl" variant="light" color={look.color} aria-hidden>
          <look.icon size={22} />
        </ThemeIcon>
        <Stack gap={4} style={{ flex: 1, minWidth: 0 }} role={failed ? "alert" : "status"}>
          <Text fw={600}>{said}</Text>
          {job.key && job.kind !== "backup" ? (
            <Text size="sm" className="mono" style={{ overflowWrap: "anywhere" }}>
              {job.key}
            </Text>
          ) : null}
          {told.error && state !== "Cancelled" ? <Text size="sm">{told.error}</Text> : null}
          <Warnings texts={told.warnings} />
          {told.details && !failed && job.kind !== "backup" ? <Text size="sm">{told.details}</Text> : null}
          <Text size="sm" c="dimmed">
            {facts.filter(Boolean).join(" ")}
          </Text>
        </Stack>
        <Button variant="subtle" size="xs" onClick={onDismiss}>
          {words.dismiss}
        </Button>
      </Group>
    </Panel>
  );
}
