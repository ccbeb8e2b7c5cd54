import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { FilePanel, type Read } from "../../admin/import/filepanel";
import { Results } from "../../admin/import/results";
import { type Answer, columns, sample, sendFile } from "../../admin/import/send";
import { changed } from "../../admin/queries";
import { BackLink, ButtonLink } from "../../parts/link";
import { Page, Panel } from "../../parts/page";
import { done, ProblemAlert } from "../../parts/problem";
import { useText } from "../../text";

type State =
  | { at: "start" }
  | { at: "working"; dryRun: boolean }
  | { at: "answered"; answer: Answer }
  | { at: "failed"; problem: unknown; dryRun: boolean };

/** Import puts the tokens of a CSV file on record: first as a trial, then in earnest. */
export function Import() {
  const t = useText();
  const words = t.stock.importing;
  const queries = useQueryClient();
  const [file, setFile] = useState<Read | null>(null);
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
  const forget = () => {
    turn.current++;
    setFile(null);
    setState({ at: "start" });
  };
  const working = state.at === "working";

  return (
    <Page title={words.title} crumb={<BackLink to="/admin/tokens">{t.common.navigation.stock}</BackLink>}>
      <FilePanel
        what={words.what}
        limit={words.limit}
        columns={columns}
        sample={{ name: "tokens.csv", cells: sample }}
        file={file}
        busy={working}
        doing={working ? (state.dryRun ? words.checking : words.writing) : null}
        onChoose={forget}
        onRead={(read) => {
          setFile(read);
          void send(read.content, true);
        }}
      >
        {state.at === "failed" && file ? (
          <ProblemAlert error={state.problem} onRetry={() => void send(file.content, state.dryRun)} />
        ) : null}
      </FilePanel>
      {state.at === "answered" && file ? (
        <Outcome answer={state.answer} onImport={() => void send(file.content, false)} onAnother={forget} />
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
