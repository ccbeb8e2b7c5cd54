import { ActionIcon, Button, Group, Menu, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconArchive, IconDots, IconDownload, IconRestore, IconShieldCheck, IconTrash } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { dangerous } from "../admin/colors";
import { Paged, type PagedColumn } from "../admin/paged";
import type { Field } from "../parts/csv";
import { Empty, Panel } from "../parts/page";
import { tell } from "../parts/problem";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { useRecent } from "../session/recent";
import { bytes } from "../system/measure";
import { useLanguage, useText } from "../text";
import { link } from "./calls";
import type { Item } from "./types";

/** What of a backup stands in a file. */
const fields: readonly Field<Item>[] = [
  ["key", (item) => item.key],
  ["created_at", (item) => item.created_at],
  ["type", (item) => item.type],
  ["size_bytes", (item) => item.size_bytes],
];

type Act = { onRestore: (item: Item) => void; onProve: (item: Item) => void; onRemove: (item: Item) => void };

type Props = Act & {
  items: readonly Item[];
  /** How many there are in the store. */
  total: number;
  /** Something runs, so nothing else can begin. */
  busy: boolean;
};

/** BackupList lists the backups of the store, newest first, and what can be done with each. */
export function BackupList({ items, total, busy, ...act }: Props) {
  const t = useText();
  const words = t.backups.list;
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const type = (item: Item) => t.backups.types[item.type];
  const columns: PagedColumn<Item>[] = [
    { id: "when", header: words.columns.when, by: (item) => item.created_at, cell: (item) => <Made item={item} /> },
    { id: "type", header: words.columns.type, from: "sm", by: type, cell: type },
    {
      id: "size",
      header: words.columns.size,
      from: "xs",
      right: true,
      by: (item) => item.size_bytes,
      cell: (item) => <Size item={item} />,
    },
    {
      id: "actions",
      header: <VisuallyHidden>{words.columns.actions}</VisuallyHidden>,
      right: true,
      cell: (item) => <Actions item={item} busy={busy} {...act} />,
    },
  ];
  return (
    <Panel title={words.title}>
      {items.length === 0 ? (
        <Empty icon={IconArchive} title={words.empty} text={words.emptyText} />
      ) : (
        <Paged
          label={words.title}
          rows={items}
          columns={columns}
          csv={{ of: "backups", filtered: false, fields }}
          rowKey={(item) => item.key}
          none={words.empty}
        />
      )}
      {total > items.length ? (
        <Text size="xs" c="dimmed" mt="sm">
          {words.latest(number.format(items.length), number.format(total))}
        </Text>
      ) : null}
    </Panel>
  );
}

function Made({ item }: { item: Item }) {
  const words = useText().backups;
  return (
    <Stack gap={0}>
      <Text size="sm" component="div">
        <When at={item.created_at} as="both" />
      </Text>
      <Text size="xs" c="dimmed" className="mono">
        {item.key}
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        {words.types[item.type]}
        <Text span inherit hiddenFrom="xs">
          {" · "}
          <Size item={item} />
        </Text>
      </Text>
    </Stack>
  );
}

function Size({ item }: { item: Item }): ReactNode {
  const language = useLanguage();
  return <span className="numbers">{bytes(item.size_bytes, language)}</span>;
}

function Actions({ item, busy, onRestore, onProve, onRemove }: Act & { item: Item; busy: boolean }) {
  const words = useText().backups.list;
  const may = useMay();
  const recently = useRecent();
  const restore = may("restore-backup") ? () => onRestore(item) : null;
  return (
    <Group gap={4} justify="flex-end" wrap="nowrap">
      {restore ? (
        <Button size="compact-sm" variant="default" visibleFrom="sm" disabled={busy} onClick={restore}>
          {words.restore}
        </Button>
      ) : null}
      <Menu position="bottom-end" withinPortal>
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label={words.more(item.key)}>
            <IconDots size={18} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {restore ? (
            <Menu.Item
              hiddenFrom="sm"
              disabled={busy}
              leftSection={<IconRestore size={16} aria-hidden />}
              onClick={restore}
            >
              {words.restore}
            </Menu.Item>
          ) : null}
          {may("drill-backup") ? (
            <Menu.Item
              disabled={busy}
              leftSection={<IconShieldCheck size={16} aria-hidden />}
              onClick={() => onProve(item)}
            >
              {words.prove}
            </Menu.Item>
          ) : null}
          <Menu.Item
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => void fetchFile(item.key, recently).catch(tell)}
          >
            {words.download}
          </Menu.Item>
          {may("delete-backup") ? (
            <Menu.Item c={dangerous} leftSection={<IconTrash size={16} aria-hidden />} onClick={() => onRemove(item)}>
              {words.remove}
            </Menu.Item>
          ) : null}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}

/** fetchFile has the browser fetch the file from where the server says, which may be the store itself. */
async function fetchFile(key: string, recently: ReturnType<typeof useRecent>): Promise<void> {
  const { url } = await recently(() => link(key));
  const anchor = document.createElement("a");
  anchor.href = url;
  anchor.download = key.split("/").at(-1) ?? key;
  anchor.click();
}
