import { Box, SimpleGrid, Stack, Text, UnstyledButton } from "@mantine/core";
import { IconCheck, IconMinus, IconX } from "@tabler/icons-react";
import { useMemo, useState } from "react";
import type { Schema } from "../../api/client";
import type { Field } from "../../parts/csv";
import { TextLink } from "../../parts/link";
import { Status } from "../../parts/status";
import { useLanguage, useText } from "../../text";
import { Paged } from "../paged";
import { Errors } from "./errors";
import styles from "./results.module.css";
import type { Answer } from "./send";

type Row = Schema<"ImportRow">;
type Result = Row["result"];

const looks = {
  created: { color: "accent", icon: IconCheck },
  unchanged: { color: "gray", icon: IconMinus },
  failed: { color: "red", icon: IconX },
} as const;
const kinds = ["created", "unchanged", "failed"] as const;

/** What of a line's result stands in a file. */
const fields: readonly Field<Row>[] = [
  ["line", (row) => row.line],
  ["serial", (row) => row.serial],
  ["result", (row) => row.result],
  ["errors", (row) => row.errors.map((e) => `${e.field} ${e.message}`).join("; ")],
];

/** Results shows what became of every line, or would; a count filters by it. */
export function Results({ answer }: { answer: Answer }) {
  const words = useText().stock.importing;
  const format = new Intl.NumberFormat(useLanguage());
  // What failed is what somebody has to look at.
  const [kind, setKind] = useState<Result | null>(answer.failed > 0 ? "failed" : null);
  const rows = useMemo(() => (kind ? answer.rows.filter((row) => row.result === kind) : answer.rows), [answer, kind]);
  const names = answer.dry_run ? words.counts : words.countsDone;
  const word: Record<Result, string> = {
    created: answer.dry_run ? words.created : words.createdDone,
    unchanged: words.unchanged,
    failed: words.failed,
  };
  return (
    <Stack gap="sm">
      <SimpleGrid cols={{ base: 2, sm: 4 }} spacing="xs" role="group" aria-label={words.show}>
        <Count
          name={words.all}
          n={format.format(answer.rows.length)}
          on={kind === null}
          onClick={() => setKind(null)}
        />
        {kinds.map((k) => (
          <Count key={k} name={names[k]} n={format.format(answer[k])} on={kind === k} onClick={() => setKind(k)} />
        ))}
      </SimpleGrid>
      <Paged
        label={words.table}
        rows={rows}
        csv={{ of: "rows", filtered: kind !== null, fields }}
        rowKey={(row) => row.line}
        none={words.noneOfKind}
        columns={[
          {
            id: "line",
            header: words.line,
            width: 90,
            by: (row) => row.line,
            cell: (row) => <span className="numbers">{format.format(row.line)}</span>,
          },
          {
            id: "serial",
            header: words.serial,
            by: (row) => row.serial,
            cell: (row) => (
              <>
                <Serial row={row} link={row.result === "unchanged" || (row.result === "created" && !answer.dry_run)} />
                <Box hiddenFrom="xs" my={4}>
                  <Status {...looks[row.result]}>{word[row.result]}</Status>
                </Box>
                <Box hiddenFrom="sm">
                  <Errors errors={row.errors} />
                </Box>
              </>
            ),
          },
          {
            id: "result",
            header: words.result,
            from: "xs",
            by: (row) => word[row.result],
            cell: (row) => <Status {...looks[row.result]}>{word[row.result]}</Status>,
          },
          { id: "errors", header: words.errors, from: "sm", cell: (row) => <Errors errors={row.errors} /> },
        ]}
      />
    </Stack>
  );
}

function Count({ name, n, on, onClick }: { name: string; n: string; on: boolean; onClick: () => void }) {
  return (
    <UnstyledButton className={styles.count} aria-pressed={on} onClick={onClick}>
      <Text span size="xl" fw={650} className="numbers" lh={1.2}>
        {n}
      </Text>
      <Text span size="sm" c="dimmed">
        {name}
      </Text>
    </UnstyledButton>
  );
}

function Serial({ row, link }: { row: Row; link: boolean }) {
  if (!row.serial) return <Text c="dimmed">–</Text>;
  if (!link) return <span className="mono">{row.serial}</span>;
  return (
    <TextLink to="/tokens/$serial" params={{ serial: row.serial }} className="mono">
      {row.serial}
    </TextLink>
  );
}
