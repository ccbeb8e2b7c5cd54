import { Alert, Button, Menu } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { Saving, useSaves } from "../../parts/saving";
import { bytes } from "../../system/measure";
import { texts, useLanguage, useText } from "../../text";
import { Cut, type Progress, stream } from "./exporting";
import { exportPath, type Filters } from "./filters";
import type { Format } from "./rows";
import { chooseTarget } from "./target";

const large = 250_000_000; // bytes in memory that may slow a computer down

// The server allows each person one at a time.
const saving = new Saving<Progress>("audit-export", Shown);

function Shown({ progress: p }: { progress: Progress }) {
  const words = useText().audit.exports;
  const language = useLanguage();
  const size = bytes(p.bytes, language);
  return (
    <>
      {words.entries(p.rows, new Intl.NumberFormat(language).format(p.rows))}, {size}
      {p.inMemory && p.bytes >= large ? (
        <Alert color="orange" mt="xs">
          {words.memory(size)}
        </Alert>
      ) : null}
    </>
  );
}

async function run(filters: Filters, format: Format, language: string): Promise<void> {
  if (saving.running()) return;
  const target = await chooseTarget(format);
  if (!target) return;
  const words = texts().audit.exports;
  await saving.run({
    title: words.running,
    begin: { rows: 0, bytes: 0, inMemory: target.inMemory },
    make: async (signal, told) => {
      try {
        const end = await stream(exportPath(filters, format), format, target, signal, told);
        const entries = words.entries(end.rows, new Intl.NumberFormat(language).format(end.rows));
        return words.done(entries, bytes(end.bytes, language));
      } catch (error) {
        if (!(error instanceof Cut) || signal.aborted) throw error;
        notifications.show({ color: "red", message: words.cut, autoClose: false });
        return null;
      }
    },
  });
}

/** ExportMenu saves every entry that the filters let through, as a file. */
export function ExportMenu({ filters }: { filters: Filters }) {
  const words = useText().audit.exports;
  const language = useLanguage();
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} disabled={useSaves(saving)}>
          {words.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {words.label}
          {filters.action === undefined ? ` (${words.whole})` : null}
        </Menu.Label>
        <Menu.Item onClick={() => void run(filters, "csv", language)}>{words.csv}</Menu.Item>
        <Menu.Item onClick={() => void run(filters, "ndjson", language)}>{words.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
