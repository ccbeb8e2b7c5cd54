import { Alert, Button, Code, Group, Loader, Stack, Text } from "@mantine/core";
import { IconDownload, IconInfoCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { Drop } from "../../admin/import/drop";
import { Results } from "../../admin/import/results";
import { type Answer, columns, mostBytes, sendFile, template } from "../../admin/import/send";
import { changed } from "../../admin/queries";
import { save } from "../../api/client";
import { BackLink, ButtonLink } from "../../parts/link";
import { Page, Panel } from "../../parts/page";
import { done, ProblemAlert } from "../../parts/problem";
import { useMe } from "../../session/hooks";
import { useLanguage, useText } from "../../text";

type State =
  | { at: "start" }
  | { at: "refused"; why: string }
  | { at: "working"; dryRun: boolean }
  | { at: "answered"; answer: Answer }
  | { at: "failed"; problem: unknown; dryRun: boolean };

/** Import puts the tokens of a CSV file on record: first as a trial, then in earnest. */
export function Import() {
  const t = useText();
  const words = t.stock.importing;
  const me = useMe();
  const language = useLanguage();
  const queries = useQueryClient();
  const [file, setFile] = useState<{ name: string; content: Blob } | null>(null);
  const [state, setState] = useState<State>({ at: "start" });
  const turn = useRef(0);

  const send = async (content: Blob, dryRun: boolean) => {
    const mine = ++turn.current;
    setState({ at: "working", dryRun });
    let next: State;
    try {
      const answer = await sendFile(content, dryRun);
      next = { at: "answered", answer };
      if (!dryRun) {
        done(words.done(answer.created));
        void changed(queries);
      }
    } catch (problem) {
      next = { at: "failed", problem, dryRun };
    }
    // Another file may have been chosen meanwhile.
    if (turn.current === mine) setState(next);
  };
  const take = async (chosen: File) => {
    turn.current++;
    setFile(null);
    if (chosen.size > mostBytes) {
      const size = new Intl.NumberFormat(language, { style: "unit", unit: "megabyte", maximumFractionDigits: 1 });
      setState({ at: "refused", why: words.tooBig(size.format(chosen.size / 1e6)) });
      return;
    }
    if (chosen.size === 0) {
      setState({ at: "refused", why: words.empty });
      return;
    }
    try {
      // Read once: what was checked is what is imported, whatever happens to the file.
      const content = new Blob([await chosen.arrayBuffer()], { type: "text/csv" });
      setFile({ name: chosen.name, content });
      await send(content, true);
    } catch {
      setState({ at: "refused", why: words.unreadable });
    }
  };
  const again = () => {
    setFile(null);
    setState({ at: "start" });
  };
  const working = state.at === "working";

  return (
    <Page title={words.title} crumb={<BackLink to="/admin/tokens">{words.back}</BackLink>}>
      <Panel
        title={words.file}
        aside={
          <Button
            variant="subtle"
            size="xs"
            leftSection={<IconDownload size={16} aria-hidden />}
            onClick={() => save(template(me.organization_name), "tokens.csv")}
          >
            {words.template}
          </Button>
        }
      >
        <Stack>
          <Text size="sm" maw={720}>
            {words.what}
          </Text>
          <Text size="sm" component="div" style={{ overflowWrap: "anywhere" }}>
            {words.columns}: <Code>{columns.join(",")}</Code>
          </Text>
          <Drop name={file?.name} busy={working} onFile={(chosen) => void take(chosen)} />
          <div aria-live="polite">
            {state.at === "refused" ? <Alert color="orange">{state.why}</Alert> : null}
            {working ? (
              <Group gap="xs" mih={36} wrap="nowrap">
                <Loader size={16} aria-hidden />
                <Text size="sm">{state.dryRun ? words.checking : words.writing}</Text>
              </Group>
            ) : null}
          </div>
          {state.at === "failed" && file ? (
            <ProblemAlert error={state.problem} onRetry={() => void send(file.content, state.dryRun)} />
          ) : null}
        </Stack>
      </Panel>
      {state.at === "answered" && file ? (
        <Outcome answer={state.answer} onImport={() => void send(file.content, false)} onAnother={again} />
      ) : null}
    </Page>
  );
}

function Outcome({ answer, onImport, onAnother }: { answer: Answer; onImport: () => void; onAnother: () => void }) {
  const words = useText().stock.importing;
  const top = useRef<HTMLDivElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  // On a small screen the outcome lies below what is seen, and the button that led to it is gone.
  useEffect(() => {
    if (!answer) return;
    heading.current?.focus({ preventScroll: true });
    top.current?.scrollIntoView({ block: "start" });
  }, [answer]);
  return (
    <div ref={top} style={{ scrollMarginTop: 64 }}>
      <Panel
        heading={heading}
        title={answer.dry_run ? words.checked : words.imported}
        aside={
          answer.dry_run ? (
            <Button disabled={answer.created === 0} onClick={onImport}>
              {answer.created === 0 ? words.nothing : words.submit(answer.created)}
            </Button>
          ) : (
            <Group gap="xs">
              <Button variant="default" onClick={onAnother}>
                {words.another}
              </Button>
              <ButtonLink to="/admin/tokens">{words.toStock}</ButtonLink>
            </Group>
          )
        }
      >
        <Stack>
          {answer.dry_run ? (
            <Text size="sm">
              {words.dry} {answer.failed > 0 ? words.leavesOut(answer.failed) : null}
            </Text>
          ) : null}
          <Results key={String(answer.dry_run)} answer={answer} />
          <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />}>
            {words.again}
          </Alert>
        </Stack>
      </Panel>
    </div>
  );
}
