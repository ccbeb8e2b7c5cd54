import { Stack, Table, Text } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconClock, IconPlayerPlay, IconServer } from "@tabler/icons-react";
import type { Schema } from "../api/client";
import { Panel } from "../parts/page";
import { Status } from "../parts/status";
import { When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { goSeconds, milliseconds, spoken } from "./measure";

type Task = Schema<"TaskReport">;

/** Tasks lists what the server does by itself, and how it went; what failed stands first. */
export function Tasks({ items }: { items: Task[] }) {
  const text = useText().system;
  const t = text.tasks;
  const language = useLanguage();
  const sorted = items.toSorted((a, b) => Number(failed(b)) - Number(failed(a)));
  return (
    <Panel title={t.title}>
      <Table aria-label={t.title} horizontalSpacing={8}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>{t.name}</Table.Th>
            <Table.Th>{t.outcome}</Table.Th>
            <Table.Th visibleFrom="sm">{t.last}</Table.Th>
            <Table.Th visibleFrom="md" ta="right">
              {t.took}
            </Table.Th>
            <Table.Th visibleFrom="md" ta="right">
              {t.every}
            </Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {sorted.map((task) => (
            <Table.Tr key={task.name}>
              <Table.Td>
                <Stack gap={0}>
                  <span>{t.names[task.name] ?? task.name}</span>
                  {task.last_error && failed(task) ? <Text size="sm">{task.last_error}</Text> : null}
                  <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
                    <When at={last(task)} fallback={t.never} />
                  </Text>
                </Stack>
              </Table.Td>
              <Table.Td>
                <Outcome task={task} />
              </Table.Td>
              <Table.Td visibleFrom="sm">
                <When at={last(task)} fallback={t.never} />
              </Table.Td>
              <Table.Td visibleFrom="md" ta="right" className="numbers">
                {task.duration_ms === null ? "–" : milliseconds(task.duration_ms, language)}
              </Table.Td>
              <Table.Td visibleFrom="md" ta="right" className="numbers">
                {task.continuous ? t.continuous : spoken(goSeconds(task.interval), language)}
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Panel>
  );
}

function failed(task: Task): boolean {
  return task.last_outcome === "failure" && !task.elsewhere;
}

function last(task: Task): string | null {
  return task.continuous ? task.last_started_at : (task.last_finished_at ?? task.last_started_at);
}

function Outcome({ task }: { task: Task }) {
  const t = useText().system.tasks;
  if (failed(task)) {
    return (
      <Status color="red" icon={IconCircleX}>
        {t.failure}
      </Status>
    );
  }
  if (task.elsewhere) {
    return (
      <Status color="gray" icon={IconServer}>
        {t.elsewhere}
      </Status>
    );
  }
  if (task.running) {
    return (
      <Status color="blue" icon={IconPlayerPlay}>
        {t.running}
      </Status>
    );
  }
  if (task.last_outcome === "success") {
    return (
      <Status color="accent" icon={IconCircleCheck}>
        {t.success}
      </Status>
    );
  }
  return (
    <Status color="gray" icon={IconClock}>
      {t.waiting}
    </Status>
  );
}
