import { Alert, Button, Group, Menu, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { done, tell } from "../../parts/problem";
import { session } from "../../session/session";
import { bytes } from "../../system/measure";
import { texts, useLanguage, useText } from "../../text";
import { Cut, type Progress, stream } from "./exporting";
import { exportPath, type Filters } from "./filters";
import type { Format } from "./rows";
import { chooseTarget } from "./target";

const id = "audit-export";
const large = 250_000_000; // bytes in memory that may slow a computer down

// The one export that runs. It lives outside of the page, so that one may go
// on working elsewhere; the server allows each person one at a time.
let running: AbortController | null = null;
let progress: Progress = { rows: 0, bytes: 0, inMemory: false };
let shownAt = 0;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(): void {
  for (const listener of listeners) listener();
}

async function run(filters: Filters, format: Format, language: string): Promise<void> {
  if (running) return;
  const target = await chooseTarget(format);
  if (!target || running) return;
  const controller = new AbortController();
  running = controller;
  progress = { rows: 0, bytes: 0, inMemory: target.inMemory };
  publish();
  // Who signs out takes nothing more along.
  const leave = session.subscribe(() => {
    if (session.snapshot().kind === "out") controller.abort();
  });
  const t = texts().audit.exports;
  notifications.show({
    id,
    loading: true,
    autoClose: false,
    withCloseButton: false,
    title: t.running,
    message: <Running onCancel={() => controller.abort()} />,
  });
  try {
    const end = await stream(exportPath(filters, format), format, target, controller.signal, (p) => {
      progress = p;
      // Chunks come faster than anybody reads.
      if (Date.now() - shownAt < 200) return;
      shownAt = Date.now();
      publish();
    });
    done(t.done(t.entries(end.rows, new Intl.NumberFormat(language).format(end.rows)), bytes(end.bytes, language)));
  } catch (error) {
    if (controller.signal.aborted) done(t.cancelled);
    else if (error instanceof Cut) notifications.show({ color: "red", message: t.cut, autoClose: false });
    else tell(error);
  } finally {
    leave();
    notifications.hide(id);
    running = null;
    publish();
  }
}

/** ExportMenu saves every entry that the filters let through, as a file. */
export function ExportMenu({ filters }: { filters: Filters }) {
  const t = useText();
  const language = useLanguage();
  const busy = useSyncExternalStore(subscribe, () => running !== null);
  const { exports: words } = t.audit;
  return (
    <Menu position="bottom-end" shadow="md">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} disabled={busy}>
          {words.button}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{words.label}</Menu.Label>
        <Menu.Item onClick={() => void run(filters, "csv", language)}>{words.csv}</Menu.Item>
        <Menu.Item onClick={() => void run(filters, "ndjson", language)}>{words.ndjson}</Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** Running shows how far the export is. A screen reader hears of its begin and its end only. */
function Running({ onCancel }: { onCancel: () => void }) {
  const t = useText();
  const language = useLanguage();
  const p = useSyncExternalStore(subscribe, () => progress);
  const size = bytes(p.bytes, language);
  const entries = t.audit.exports.entries(p.rows, new Intl.NumberFormat(language).format(p.rows));
  return (
    <Stack gap="xs" mt={4}>
      <Text size="sm" className="numbers" aria-live="off">
        {entries}, {size}
      </Text>
      {p.inMemory && p.bytes >= large ? <Alert color="orange">{t.audit.exports.memory(size)}</Alert> : null}
      <Group>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t.common.actions.cancel}
        </Button>
      </Group>
    </Stack>
  );
}
