import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconClockExclamation } from "@tabler/icons-react";
import { Warning } from "../parts/warning";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { saidOf } from "./said";
import type { Notice } from "./standing";
import type { Job, Stored } from "./types";

type Props = { notices: readonly Notice[]; busy: boolean; onRetry: (job: Job) => void; onDetails: () => void };

/** Notices says what needs somebody, and leads to what can be done. */
export function Notices({ notices, busy, onRetry, onDetails }: Props) {
  const { backups, sentences } = useText();
  const words = backups.notices;
  const language = useLanguage();
  const may = useMay();
  return notices.map(({ kind, job }) => (
    <Warning danger key={kind} role="alert" title={words[kind]}>
      <Stack gap="xs">
        <Text size="sm">
          {kind === "incomplete" ? words.incompleteText : saidOf(job, sentences, language).error}{" "}
          <Text span inherit c="dimmed">
            <When at={job.finished_at ?? job.created_at} as="both" />
          </Text>
        </Text>
        <Group gap="xs">
          {kind === "incomplete" && may("retry-backup-job") ? (
            <Button size="xs" disabled={busy} onClick={() => onRetry(job)}>
              {words.retry}
            </Button>
          ) : null}
          <Button size="xs" variant="default" onClick={onDetails}>
            {words.details}
          </Button>
        </Group>
      </Stack>
    </Warning>
  ));
}

type OverdueProps = { settings: Pick<Stored, "overdue_at" | "drill_overdue_at">; onDetails: () => void };

/** Overdue says what the schedules asked for and nobody has made. */
export function Overdue({ settings, onDetails }: OverdueProps) {
  const words = useText().backups.notices;
  const list = [
    { key: "backup", at: settings.overdue_at, title: words.overdue, text: words.overdueText },
    { key: "drill", at: settings.drill_overdue_at, title: words.drillOverdue, text: words.drillOverdueText },
  ];
  return list.map(({ key, at, title, text }) =>
    at ? (
      <Alert
        key={key}
        role="alert"
        color="orange"
        variant="light"
        icon={<IconClockExclamation aria-hidden />}
        title={title}
      >
        <Stack gap="xs">
          <Text size="sm">
            {words.due} <When at={at} as="both" />. {text}
          </Text>
          <Group gap="xs">
            <Button size="xs" variant="default" onClick={onDetails}>
              {words.details}
            </Button>
          </Group>
        </Stack>
      </Alert>
    ) : null,
  );
}
