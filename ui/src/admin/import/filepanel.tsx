import { Alert, Button, Code, Group, Loader, Stack, Text } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { type ReactNode, useRef, useState } from "react";
import { save } from "../../api/client";
import { Panel } from "../../parts/page";
import { useMe } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { Drop } from "./drop";
import { mostBytes, template } from "./file";

/** A file as it was read: what is checked is what is imported, whatever happens to it on the disk. */
export type Read = { name: string; content: Blob };

type Props = {
  /** What a file is, and what it may be, in words. */
  what: string;
  limit: string;
  columns: readonly string[];
  /** What its template is called, and the cells of its one line; the last one is the person's organization. */
  sample: { name: string; cells: readonly string[] };
  file: Read | null;
  busy: boolean;
  /** What is done with the file meanwhile. */
  doing: string | null;
  /** onChoose: another file was chosen; onRead: it can be checked. */
  onChoose: () => void;
  onRead: (file: Read) => void;
  /** What went wrong. */
  children: ReactNode;
};

/** FilePanel takes the CSV file of an import, and says what it has to be. */
export function FilePanel({ what, limit, columns, sample, file, busy, doing, onChoose, onRead, children }: Props) {
  const words = useText().stock.importing;
  const me = useMe();
  const language = useLanguage();
  const [refused, setRefused] = useState<{ name: string; why: string } | null>(null);
  const turn = useRef(0);
  const take = async (chosen: File) => {
    const mine = ++turn.current;
    onChoose();
    setRefused(null);
    const refuse = (why: string) => setRefused({ name: chosen.name, why });
    if (chosen.size > mostBytes) {
      const size = new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
      refuse(words.tooBig(size.format(chosen.size / 1e6)));
      return;
    }
    if (chosen.size === 0) {
      refuse(words.empty);
      return;
    }
    let content: Blob;
    try {
      content = new Blob([await chosen.arrayBuffer()], { type: "text/csv" });
    } catch {
      refuse(words.unreadable);
      return;
    }
    // Another file may have been chosen meanwhile.
    if (turn.current === mine) onRead({ name: chosen.name, content });
  };
  return (
    <Panel
      title={words.file}
      aside={
        <Button
          variant="subtle"
          size="xs"
          leftSection={<IconDownload size={16} aria-hidden />}
          onClick={() => save(template(columns, [...sample.cells, me.organization_name], language), sample.name)}
        >
          {words.template}
        </Button>
      }
    >
      <Stack>
        <Text size="sm" maw={720}>
          {what}
        </Text>
        <Text size="sm" component="div" style={{ overflowWrap: "anywhere" }}>
          {words.columns}: <Code>{columns.join(",")}</Code>
        </Text>
        <Drop name={file?.name} busy={busy} limit={limit} onFile={(chosen) => void take(chosen)} />
        <div aria-live="polite">
          {refused ? (
            <Alert color="orange" title={refused.name}>
              {refused.why}
            </Alert>
          ) : null}
          {doing ? (
            <Group gap="xs" mih={36} wrap="nowrap">
              <Loader size={16} aria-hidden />
              <Text size="sm">{doing}</Text>
            </Group>
          ) : null}
        </div>
        {children}
      </Stack>
    </Panel>
  );
}
