import { Group, Stack, Table, Text } from "@mantine/core";
import type { Schema } from "../api/client";
import { Panel } from "../parts/page";
import { useLanguage, useText } from "../text";
import { BackupStore } from "./backupstore";
import { bytes } from "./measure";
import { Meter, type Tone } from "./meter";
import classes from "./meter.module.css";

type Report = Schema<"StorageReport">;
type Data = Report["data"];

// From when on the server itself calls it degraded, and failed.
const low = 1 << 30;
const full = 100 << 20;
const shown = 6;

/** Storage shows the room that is left, the files of the data directory, and where backups go. */
export function Storage({ report: { data, backup_store } }: { report: Report }) {
  const t = useText().system.storage;
  const language = useLanguage();
  const files = data.files.toSorted((a, b) => b.size_bytes - a.size_bytes);
  return (
    <Panel title={t.title} aside={<span className="mono">{data.path}</span>}>
      <Stack gap="sm">
        <Room data={data} />
        <Table aria-label={t.files} verticalSpacing={5} horizontalSpacing={0} withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t.file}</Table.Th>
              <Table.Th ta="right">{t.fileSize}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {files.slice(0, shown).map((file) => (
              <Table.Tr key={file.name}>
                <Table.Td className="mono">{file.name}</Table.Td>
                <Table.Td ta="right" className="numbers">
                  {bytes(file.size_bytes, language)}
                </Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
        {files.length > shown ? (
          <Text size="xs" c="dimmed">
            {t.more(files.length - shown)}
          </Text>
        ) : null}
        <BackupStore store={backup_store} />
      </Stack>
    </Panel>
  );
}

function Room({ data }: { data: Data }) {
  const t = useText().system.storage;
  const language = useLanguage();
  const { free_bytes: free, total_bytes: total, used_bytes: own } = data;
  if (free === null || total === null || total <= 0) {
    return (
      <Text size="sm" c="dimmed">
        {t.unknown} {t.own(bytes(own, language))}.
      </Text>
    );
  }
  const other = Math.max(0, total - free - own);
  const tone: Tone = free < full ? "bad" : free < low ? "warn" : "good";
  const said = t.free(bytes(free, language), bytes(total, language));
  return (
    <div>
      <Text size="xl" fw={650} className="numbers" lh={1.3} mb={6}>
        {said}
      </Text>
      <Meter
        label={said}
        parts={[
          { share: own / total, tone },
          { share: other / total, tone: "other" },
        ]}
      />
      <Group gap="md" mt={6}>
        <Key className={classes[tone]} text={t.own(bytes(own, language))} />
        <Key className={classes.other} text={t.other(bytes(other, language))} />
        <Key className={classes.track} text={t.room(bytes(free, language))} />
      </Group>
    </div>
  );
}

function Key({ className, text }: { className: string | undefined; text: string }) {
  return (
    <Group gap={6} wrap="nowrap">
      <span className={className} style={{ width: 10, height: 10, borderRadius: 3 }} aria-hidden="true" />
      <Text size="xs" c="dimmed" className="numbers">
        {text}
      </Text>
    </Group>
  );
}
