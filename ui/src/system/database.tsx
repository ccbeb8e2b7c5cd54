import { Stack, Table, Text } from "@mantine/core";
import type { Schema } from "../api/client";
import { Panel } from "../parts/page";
import { useLanguage, useText } from "../text";
import { bytes } from "./measure";
import { Meter } from "./meter";

/** Database shows how large the database is, and what fills it. */
export function Database({ report }: { report: Schema<"DatabaseReport"> }) {
  const text = useText().system;
  const t = text.database;
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const tables = report.tables.toSorted((a, b) => b.rows - a.rows);
  const most = Math.max(1, ...tables.map((x) => x.rows));
  return (
    <Panel
      title={t.title}
      aside={
        <Text size="xs" c="dimmed">
          {text.about.engineNames[report.engine] ?? report.engine} · {t.schema(number.format(report.schema_version))}
        </Text>
      }
    >
      <Stack gap="xs">
        <div>
          <Text size="xl" fw={650} className="numbers" lh={1.3}>
            {t.size(bytes(report.size_bytes + (report.wal_bytes ?? 0), language))}
          </Text>
          {report.wal_bytes === null ? null : (
            <Text size="xs" c="dimmed" className="numbers">
              {t.wal(bytes(report.wal_bytes, language))}
            </Text>
          )}
        </div>
        <Table aria-label={t.table} verticalSpacing={5} horizontalSpacing={0} withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.name}</Table.Th>
              <Table.Th w="40%">{t.share}</Table.Th>
              <Table.Th ta="right">{t.rows}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {tables.map((x) => {
              const rows = number.format(x.rows);
              return (
                <Table.Tr key={x.name}>
                  <Table.Td>{t.names[x.name] ?? <span className="mono">{x.name}</span>}</Table.Td>
                  <Table.Td>
                    <Meter thin label={rows} parts={[{ share: x.rows / most, tone: "good" }]} />
                  </Table.Td>
                  <Table.Td ta="right" className="numbers">
                    {x.estimated ? <span title={t.estimated}>≈ {rows}</span> : rows}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Stack>
    </Panel>
  );
}
