import { ActionIcon, Card, Group, Stack, Switch, Text, ThemeIcon, Tooltip } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck, IconCircleX, IconPlugConnectedX, IconRefresh } from "@tabler/icons-react";
import type { Schema } from "../api/client";
import { useLanguage, useText } from "../text";
import { missing } from "./needed";

type Props = {
  report: Schema<"HealthReport">;
  /** The last check got no answer; the report is from before. */
  silent: boolean;
  busy: boolean;
  live: boolean;
  onLive: (live: boolean) => void;
  onRefresh: () => void;
};

const looks = {
  ok: { color: "accent", icon: IconCircleCheck },
  degraded: { color: "orange", icon: IconAlertTriangle },
  unavailable: { color: "red", icon: IconCircleX },
};

/** Overall says in one line how the service stands, and when that was found. */
export function Overall({ report, silent, busy, live, onLive, onRefresh }: Props) {
  const t = useText().system;
  const language = useLanguage();
  const lacks = report.status === "ok" ? missing(report) : [];
  const look = silent
    ? { color: "red", icon: IconPlugConnectedX }
    : looks[lacks.length > 0 ? "degraded" : report.status];
  const names = (of: string[]) => of.map((name) => t.components.names[name] ?? name).join(", ");
  const troubled = report.components.filter((c) => c.status !== "ok" && c.status !== "not_configured");
  const idle = report.components.filter((c) => c.status === "not_configured");
  const detail = silent
    ? t.overall.silent
    : troubled.length > 0
      ? t.overall.affected(names(troubled.map((c) => c.name)))
      : t.overall.fine(report.components.length - idle.length, names(idle.map((c) => c.name)));
  const time = new Intl.DateTimeFormat(language, { timeStyle: "medium" }).format(new Date(report.checked_at));
  return (
    <Card component="section" aria-label={t.title}>
      <Group justify="space-between" gap="md">
        <Group gap="md" wrap="nowrap" role="status" style={{ flex: "1 1 280px" }}>
          <ThemeIcon size={52} radius="xl" variant="light" color={look.color} aria-hidden>
            <look.icon size={30} stroke={1.8} />
          </ThemeIcon>
          <Stack gap={0}>
            <Text size="xl" fw={650} lh={1.3}>
              {lacks.length > 0 ? t.overall.lacking : t.overall[report.status]}
            </Text>
            <Text size="sm" c="dimmed">
              {detail}
            </Text>
          </Stack>
        </Group>
        <Group gap="sm" wrap="nowrap">
          <Stack gap={2}>
            <Switch size="sm" label={t.live} checked={live} onChange={(e) => onLive(e.currentTarget.checked)} />
            <Text size="xs" c="dimmed" className="numbers">
              {t.checkedAt} <time dateTime={report.checked_at}>{time}</time>
            </Text>
          </Stack>
          <Tooltip label={t.refresh}>
            <ActionIcon variant="default" size="lg" aria-label={t.refresh} aria-busy={busy} onClick={onRefresh}>
              <IconRefresh size={18} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
    </Card>
  );
}
