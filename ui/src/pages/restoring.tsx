import { Alert, Button, Card, Center, List, Stack, Text, Title } from "@mantine/core";
import { IconAlertTriangle, IconCircleCheck } from "@tabler/icons-react";
import { useEffect, useState } from "react";
import { active, stateOf, touched } from "../backup/phases";
import { JobProgress } from "../backup/progress";
import { useRestore } from "../backup/restore/watch";
import type { Job } from "../backup/types";
import { Warnings } from "../backup/warnings";
import { useSaid } from "../backup/words";
import { ButtonLink } from "../parts/link";
import { Brand } from "../parts/logo";
import { ProblemAlert } from "../parts/problem";
import { Warning } from "../parts/warning";
import { useSessionState } from "../session/hooks";
import { session } from "../session/session";
import { useText } from "../text";

const backups = "/system/backups";
/** Loaded anew: this page's session is over, and all that it knew. */
const signIn = `/login?${new URLSearchParams({ return_to: backups })}`;

/**
 * Restoring follows a restore to its end. It stands outside of the frame of the
 * other pages, since the restore ends the session that they need.
 */
export function Restoring() {
  const t = useText();
  const words = t.backups.restoring;
  const { kind } = useSessionState();
  const [problem, setProblem] = useState<unknown>(null);
  useEffect(() => {
    document.title = `${words.title} · ${t.common.product}`;
  }, [words, t]);
  useEffect(() => {
    if (kind === "unknown" && problem === null) session.restore().catch(setProblem);
  }, [kind, problem]);
  const query = useRestore(kind !== "unknown" && kind !== "out");
  const seen = kind === "out" ? ({ kind: "out" } as const) : query.data;
  return (
    <Center component="main" mih="100vh" p="md">
      <Card w="100%" maw={640} p="xl">
        <Stack>
          <Brand />
          <Title order={1}>{words.title}</Title>
          {problem !== null && kind === "unknown" ? (
            <ProblemAlert error={problem} onRetry={() => setProblem(null)} />
          ) : null}
          {query.isError ? (
            <Alert role="status" color="orange" variant="light">
              <Text size="sm">{words.silent}</Text>
            </Alert>
          ) : null}
          {seen?.kind === "job" ? <Restore job={seen.job} unfinished={seen.unfinished} /> : null}
          {seen?.kind === "none" ? (
            <>
              <Text size="sm">{words.none}</Text>
              <ButtonLink to={backups} variant="default">
                {words.toBackups}
              </ButtonLink>
            </>
          ) : null}
          {seen?.kind === "out" ? (
            <>
              <Text fw={600}>{words.unknown}</Text>
              <Text size="sm">{words.unknownText}</Text>
              <SignIn />
            </>
          ) : null}
        </Stack>
      </Card>
    </Center>
  );
}

function SignIn() {
  const words = useText().backups.restoring;
  return (
    <Button component="a" href={signIn}>
      {words.signIn}
    </Button>
  );
}

function Restore({ job, unfinished }: { job: Job; unfinished: Job | null }) {
  const words = useText().backups.restoring;
  const said = useSaid(job);
  if (active(job)) {
    return (
      <>
        <Text size="sm" c="dimmed">
          {words.going}
        </Text>
        <JobProgress job={job} />
      </>
    );
  }
  const state = stateOf(job);
  if (job.status === "Completed") return <Done job={job} warned={state === "Warnings"} />;
  const incomplete = touched(job, unfinished);
  return (
    <>
      <Warning danger role="alert" title={incomplete ? words.incomplete : words.failed}>
        <Stack gap={6}>
          {said.error ? <Text size="sm">{said.error}</Text> : null}
          <Text size="sm">{incomplete ? words.incompleteText : words.untouched}</Text>
          <Warnings texts={said.warnings} />
        </Stack>
      </Warning>
      {incomplete ? (
        <SignIn />
      ) : (
        <ButtonLink to={backups} variant="default">
          {words.toBackups}
        </ButtonLink>
      )}
    </>
  );
}

function Done({ job, warned }: { job: Job; warned: boolean }) {
  const words = useText().backups.restoring;
  const said = useSaid(job);
  return (
    <>
      <Alert
        role="status"
        color={warned ? "orange" : "accent"}
        variant="light"
        icon={warned ? <IconAlertTriangle aria-hidden /> : <IconCircleCheck aria-hidden />}
        title={warned ? words.warnings : words.done}
      >
        <Stack gap={6}>
          {said.details ? <Text size="sm">{said.details}</Text> : null}
          <Warnings texts={said.warnings} />
          <Text size="sm">{words.doneText}</Text>
        </Stack>
      </Alert>
      <div>
        <Text component="h2" size="sm" fw={600} m={0} mb={4}>
          {words.next}
        </Text>
        <List size="sm" type="ordered">
          {words.todo.map((step) => (
            <List.Item key={step}>{step}</List.Item>
          ))}
        </List>
      </div>
      <SignIn />
    </>
  );
}
