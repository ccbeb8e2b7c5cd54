import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconDownload } from "@tabler/icons-react";
import { useSyncExternalStore } from "react";
import { save } from "../api/client";
import { session } from "../session/session";
import { type Catalogue, texts, useLanguage, useText } from "../text";
import { csvLine, type Field, mark } from "./csv";
import { pages } from "./everything";
import { done, tell } from "./problem";

/** Csv is what a list is as a file. */
export type Csv<T> = {
  /** What it lists; names the file, too. */
  of: keyof Catalogue["common"]["exports"]["kinds"];
  /** Whose they are, such as a token's serial: it stands in the file's name. */
  owner?: string;
  /** Something is left out. */
  filtered: boolean;
  fields: readonly Field<T>[];
};

type Fetch<T> = (cursor: string | undefined, limit: number) => Promise<{ items: T[]; next_cursor: string | null }>;

const id = "list-export";

// The one export that runs. It lives outside of the page, so that one may go on working elsewhere.
let running: AbortController | null = null;
let rows = 0;
const listeners = new Set<() => void>();

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function publish(): void {
  for (const listener of listeners) listener();
}

async function run<T>({ of, owner, fields }: Csv<T>, label: string, fetch: Fetch<T>, language: string): Promise<void> {
  if (running) return;
  const controller = new AbortController();
  running = controller;
  rows = 0;
  publish();
  // Who signs out takes nothing along.
  const leave = session.subscribe(() => {
    if (session.snapshot().kind === "out") controller.abort();
  });
  const words = texts().common.exports;
  notifications.show({
    id,
    loading: true,
    autoClose: false,
    withCloseButton: false,
    title: label,
    message: <Running onCancel={() => controller.abort()} />,
  });
  try {
    const parts = [mark, csvLine(fields.map(([name]) => name))];
    const take = (items: T[]) => {
      parts.push(items.map((item) => csvLine(fields.map(([, value]) => value(item)))).join(""));
      rows += items.length;
      publish();
    };
    await pages(fetch, take, controller.signal);
    const name = owner ? `${of}-${owner.replace(/[^\w.-]/g, "_")}` : of;
    const stamp = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    save(new Blob(parts, { type: "text/csv" }), `keyward-${name}-${stamp}.csv`);
    done(words.done(rows, new Intl.NumberFormat(language).format(rows)));
  } catch (error) {
    if (controller.signal.aborted) done(words.cancelled);
    else tell(error);
  } finally {
    leave();
    notifications.hide(id);
    running = null;
    publish();
  }
}

/** ExportButton saves every row of a list that its filters let through, as a file. */
export function ExportButton<T>({ csv, fetch }: { csv: Csv<T>; fetch: Fetch<T> }) {
  const language = useLanguage();
  const words = useText().common.exports;
  const busy = useSyncExternalStore(subscribe, () => running !== null);
  const label = (csv.filtered ? words.filtered : words.all)(words.kinds[csv.of]);
  return (
    <Button
      size="compact-sm"
      variant="subtle"
      color="gray"
      leftSection={<IconDownload size={15} aria-hidden />}
      disabled={busy}
      onClick={() => void run(csv, label, fetch, language)}
    >
      {label}
    </Button>
  );
}

/** Running shows how far the export is. A screen reader hears of its begin and its end only. */
function Running({ onCancel }: { onCancel: () => void }) {
  const t = useText();
  const language = useLanguage();
  const n = useSyncExternalStore(subscribe, () => rows);
  return (
    <Stack gap="xs" mt={4}>
      <Text size="sm" className="numbers" aria-live="off">
        {t.common.exports.rows(n, new Intl.NumberFormat(language).format(n))}
      </Text>
      <Group>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t.common.actions.cancel}
        </Button>
      </Group>
    </Stack>
  );
}
