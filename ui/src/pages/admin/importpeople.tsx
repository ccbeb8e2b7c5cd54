import { Alert, Button, Checkbox, Group, Progress, Stack, Text } from "@mantine/core";
import { IconCheck, IconHourglassLow, IconInfoCircle, IconMinus, IconX } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo, useState } from "react";
import { Errors } from "../../admin/import/errors";
import { FilePanel, type Read } from "../../admin/import/filepanel";
import { columns, type Imported, importAll, links, sample, send } from "../../admin/import/people";
import { Paged } from "../../admin/paged";
import { changed } from "../../admin/queries";
import { type Schema, save } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import type { Field } from "../../parts/csv";
import { BackLink } from "../../parts/link";
import { Page, Panel } from "../../parts/page";
import { AttemptAlert, done } from "../../parts/problem";
import { Status } from "../../parts/status";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";

type Row = Schema<"ImportedUser">;

/** ImportPeople makes accounts of a CSV file: first as a preview, then part by part. */
export function ImportPeople() {
  const t = useText();
  const words = t.people.importing;
  const queries = useQueryClient();
  const recently = useRecent();
  const attempt = useAttempt();
  const [file, setFile] = useState<Read | null>(null);
  const [answer, setAnswer] = useState<Imported | null>(null);
  const [invite, setInvite] = useState(true);
  const [skip, setSkip] = useState(false); // the lines with errors
  const [made, setMade] = useState<readonly Row[]>([]); // of this file, however often it was begun
  const [count, setCount] = useState(0); // of this time

  const check = (read: Read) =>
    void attempt.run(async () => {
      setFile(null);
      setAnswer(null);
      setMade([]);
      setSkip(false);
      setAnswer(await send(read.content, { dry_run: true }));
      setFile(read);
    });
  const write = () =>
    void attempt.run(async () => {
      if (!file) return;
      setCount(0);
      const note = (rows: readonly Row[]) => {
        setCount(rows.length);
        setMade([...made, ...rows]);
      };
      try {
        const all = await importAll((limit) => recently(() => send(file.content, { invite, limit })), note);
        setAnswer(all);
        done(words.done(all.created));
      } catch (problem) {
        // What was made stays, so less is to do; the links of it stay on the page.
        const again = await send(file.content, { dry_run: true }).catch(() => null);
        if (again) setAnswer(again);
        throw problem;
      } finally {
        void changed(queries);
      }
    });
  const preview = answer?.dry_run ? answer : null;
  const writing = attempt.busy && preview !== null && file !== null;

  return (
    <Page title={words.title} crumb={<BackLink to="/admin/people">{t.people.title}</BackLink>}>
      <FilePanel
        what={words.what}
        limit={words.limit}
        columns={columns}
        sample={{ name: "people.csv", cells: sample }}
        file={file}
        busy={attempt.busy}
        doing={attempt.busy && !writing ? words.checking : null}
        onChoose={attempt.clear}
        onRead={check}
      >
        <AttemptAlert attempt={attempt} />
      </FilePanel>
      {answer && file ? (
        <Panel title={answer.dry_run ? words.preview : words.result}>
          <Stack>
            {preview ? (
              <>
                <Text size="sm">{preview.failed > 0 ? words.mend(preview.failed) : words.dry}</Text>
                {preview.failed > 0 && preview.created > 0 ? (
                  <Checkbox
                    label={words.skip(preview.failed)}
                    checked={skip}
                    disabled={attempt.busy}
                    onChange={(event) => setSkip(event.currentTarget.checked)}
                  />
                ) : null}
                <Checkbox
                  label={words.invite}
                  description={words.inviteText}
                  checked={invite}
                  disabled={attempt.busy}
                  onChange={(event) => setInvite(event.currentTarget.checked)}
                />
                <Group>
                  <Button
                    loading={writing}
                    disabled={(preview.failed > 0 && !skip) || preview.created === 0}
                    onClick={write}
                  >
                    {words.submit(preview.created)}
                  </Button>
                </Group>
                {writing ? (
                  <div>
                    <Progress value={(count / Math.max(1, preview.created)) * 100} aria-label={words.progress} />
                    <Text size="sm" className="numbers" role="status">
                      {words.madeOf(count, preview.created)}
                    </Text>
                  </div>
                ) : null}
              </>
            ) : null}
            <Links rows={made} />
            <Rows answer={answer} />
          </Stack>
        </Panel>
      ) : null}
    </Page>
  );
}

/** Links hands over the invitations of people whom no mail reaches. They are shown this once. */
function Links({ rows }: { rows: readonly Row[] }) {
  const words = useText().people.importing;
  if (!rows.some((row) => row.invitation_url)) return null;
  const mailed = rows.every((row) => !row.invitation_url || row.invitation_mailed);
  return (
    <Alert variant="light" color={mailed ? "gray" : "orange"} icon={<IconInfoCircle aria-hidden />}>
      <Group justify="space-between">
        <Text size="sm" style={{ flex: 1, minWidth: 240 }}>
          {mailed ? words.mailed : words.unmailed}
        </Text>
        <Button size="xs" variant="default" onClick={() => save(links(rows), "invitations.csv")}>
          {words.links}
        </Button>
      </Group>
    </Alert>
  );
}

const looks = {
  created: { color: "accent", icon: IconCheck },
  unchanged: { color: "gray", icon: IconMinus },
  failed: { color: "red", icon: IconX },
  left: { color: "orange", icon: IconHourglassLow },
} as const;

/** known says a role in words, and what is no role as it stands. */
function known(roles: Readonly<Record<string, string>>, role: string): string {
  return roles[role] ?? role;
}

/** What of a line's result stands in a file. A link does not: the file of the invitations has it. */
const fields: readonly Field<Row>[] = [
  ["line", (row) => row.line],
  ["username", (row) => row.username],
  ["name", (row) => row.name],
  ["email", (row) => row.email],
  ["role", (row) => row.role],
  ["organization", (row) => row.organization],
  ["upn", (row) => row.upn],
  ["sid", (row) => row.sid],
  ["result", (row) => row.result],
  ["errors", (row) => row.errors.map((e) => `${e.field} ${e.message}`).join("; ")],
];

/** Rows says what became of every line, or would: what failed comes first. */
function Rows({ answer }: { answer: Imported }) {
  const t = useText();
  const words = t.people.importing;
  const rows = useMemo(
    () => [...answer.rows].sort((a, b) => Number(b.result === "failed") - Number(a.result === "failed")),
    [answer],
  );
  const word = { ...words.results, created: answer.dry_run ? words.results.new : words.results.created };
  return (
    <Paged
      label={words.table}
      rows={rows}
      csv={{ of: "rows", filtered: false, fields }}
      rowKey={(row) => row.line}
      none={words.none}
      columns={[
        {
          id: "line",
          header: words.line,
          width: 90,
          by: (row) => row.line,
          cell: (row) => <span className="numbers">{row.line}</span>,
        },
        {
          id: "username",
          header: t.people.fields.username,
          by: (row) => row.username,
          cell: (row) => (
            <>
              {row.username || "–"}
              {[row.name, row.upn, row.sid].filter(Boolean).map((said) => (
                <Text key={said} size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
                  {said}
                </Text>
              ))}
            </>
          ),
        },
        {
          id: "role",
          header: t.people.fields.role,
          by: (row) => row.role,
          cell: (row) => (
            <>
              {known(t.common.roles, row.role)}
              {row.organization ? (
                <Text size="sm" c="dimmed">
                  {row.organization}
                </Text>
              ) : null}
            </>
          ),
        },
        {
          id: "result",
          header: words.result,
          by: (row) => word[row.result],
          cell: (row) => <Status {...looks[row.result]}>{word[row.result]}</Status>,
        },
        {
          id: "errors",
          header: words.errors,
          cell: (row) => <Errors errors={row.errors} />,
        },
      ]}
    />
  );
}
