import { Button, Group, List, Stack, Text, ThemeIcon, Title } from "@mantine/core";
import { IconCircleCheck, IconUserQuestion } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";
import { useAgent } from "../agent/state";
import { NoteButton } from "../desk/sheets";
import { useAddress } from "../parts/address";
import { BackLink, ButtonLink } from "../parts/link";
import { useAssumed } from "../parts/origin";
import { Empty, Loaded, Missing, Page, Panel } from "../parts/page";
import { called } from "../parts/person";
import { useSettled } from "../parts/settle";
import { type StepShown, Steps } from "../parts/steps";
import { useText } from "../text";
import { Away } from "../token/away";
import { deviceQuery, useDevice } from "../token/data";
import { FlowDialog } from "../token/dialog";
import { AgentFailure } from "../token/failurepanel";
import { type Device, neverChosen } from "../token/next";
import { AgentPill } from "../token/pill";
import { ReplaceForm } from "./form";
import classes from "./replace.module.css";
import { likely, type Standing, standingOf } from "./standing";
import { useTheirs } from "./successor";

/**
 * ReplaceToken gives a token's owner another one: the old one is taken out of use, its successor is given and set up.
 * What of it is done is read from both tokens, so that it goes on where it was left, on any computer.
 */
export function ReplaceToken() {
  const t = useText();
  const { serial = "" } = useParams({ strict: false });
  const address = useAddress();
  const query = useDevice(serial);
  useAssumed("/admin/tokens");
  const theirs = useTheirs(query.data?.owner?.id);
  const chosen = address.get("by") ?? (query.data ? likely(query.data, theirs.data?.items ?? []) : undefined) ?? "";
  const next = useQuery({ ...deviceQuery(chosen), enabled: chosen !== "" });
  const owned = query.data?.owner;
  const settled = useSettled(query.isSuccess && !(owned && theirs.isPending) && !(chosen && next.isPending));
  const back = (
    <BackLink to="/tokens/$serial" params={{ serial }}>
      {t.replace.back(serial)}
    </BackLink>
  );
  if (query.data === null) {
    return <Missing title={t.tokens.page.missing} text={t.tokens.page.missingText} back={back} />;
  }
  return (
    <Page title={t.replace.title(serial)} crumb={back} actions={<AgentPill />} below>
      <Loaded query={query} height={520} wait={!settled}>
        {(old) =>
          old?.owner ? (
            <Known old={old} next={next.data ?? null} chosen={chosen} onChosen={(by) => address.set({ by }, true)} />
          ) : (
            <Panel>
              <Empty icon={IconUserQuestion} title={t.replace.nobody} />
            </Panel>
          )
        }
      </Loaded>
    </Page>
  );
}

type Props = { old: Device; next: Device | null; chosen: string; onChosen: (serial: string) => void };

function Known({ old, next, chosen, onChosen }: Props) {
  const words = useText().replace;
  const agent = useAgent();
  const navigate = useNavigate();
  const standing = standingOf(old, next);
  const [reason, setReason] = useState(words.reasons.of(old.serial));
  const [flow, setFlow] = useState(false);
  const isPlugged = (serial: string) =>
    "tokens" in agent && agent.tokens.some((p) => p.serial.toLowerCase() === serial.toLowerCase());
  const given = standing.assigned ? next : null;
  const begun = (serial: string, why: string) => {
    setReason(why);
    if (isPlugged(serial)) setFlow(true);
  };
  return (
    <>
      <Steps label={words.steps} steps={useSteps(old, given, standing)} />
      {given && !standing.setUp ? <AgentFailure /> : null}
      <div className={classes.grid}>
        <Panel>
          <Stack gap="md">
            <DoneSoFar old={old} given={given} standing={standing} />
            {given && standing.out ? (
              <Rest next={given} plugged={isPlugged(given.serial)} onSetUp={() => setFlow(true)} />
            ) : (
              <ReplaceForm
                old={old}
                out={standing.out}
                chosen={chosen}
                onChosen={onChosen}
                onDone={begun}
                onCancel={() => void navigate({ to: "/tokens/$serial", params: { serial: old.serial } })}
              />
            )}
          </Stack>
        </Panel>
        <Stack gap="md">
          <Beside title={words.old}>
            <Away device={old} plugged={isPlugged(old.serial)} />
          </Beside>
          {next ? (
            <Beside title={words.next}>
              <Away device={next} plugged={isPlugged(next.serial)} />
            </Beside>
          ) : null}
        </Stack>
      </div>
      {flow && given ? (
        <FlowDialog device={given} request={{ what: "setup" }} reason={reason} onClose={() => setFlow(false)} />
      ) : null}
    </>
  );
}

function Beside({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap="xs" component="section" aria-label={title}>
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  );
}

function useSteps(old: Device, given: Device | null, { out, setUp }: Standing): StepShown[] {
  const { out: outWords, assign, setUp: setUpWords } = useText().replace;
  const done = [out, given !== null, setUp];
  const first = done.indexOf(false);
  const how = (i: number) => (done[i] ? "done" : i === first ? "now" : "later");
  return [
    { name: old.status === "lost" || old.status === "retired" ? outWords[old.status] : outWords.todo, how: how(0) },
    { name: given ? assign.done(given.serial) : assign.todo, how: how(1) },
    { name: setUpWords, how: how(2) },
  ];
}

/** DoneSoFar says what of the replacement is done, and that all of it is. */
function DoneSoFar({
  old,
  given,
  standing: { out, setUp },
}: {
  old: Device;
  given: Device | null;
  standing: Standing;
}) {
  const words = useText().replace;
  const name = old.owner ? called(old.owner) : "";
  const said = [
    out ? (old.status === "lost" ? words.wasLost(old.serial) : words.wasRetired(old.serial)) : "",
    given ? words.wasAssigned(given.serial, name) : "",
    given && setUp ? words.wasSetUp(given.serial) : "",
    given && setUp && neverChosen(given) ? words.pinLater(name) : "",
    given && !out ? words.stillInUse(old.serial) : "",
  ].filter(Boolean);
  if (said.length === 0) return null;
  const all = out && setUp;
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start" role="status">
      <ThemeIcon size={36} radius="xl" variant="light" aria-hidden>
        <IconCircleCheck size={22} />
      </ThemeIcon>
      <div>
        {all ? (
          <Text fw={600} mt={6} mb={4}>
            {words.done(name)}
          </Text>
        ) : null}
        <List size="sm" listStyleType="none" mt={all ? 0 : 8}>
          {said.map((line) => (
            <List.Item key={line}>{line}</List.Item>
          ))}
        </List>
      </div>
    </Group>
  );
}

/** Rest is what remains once the successor is given. */
function Rest({ next, plugged, onSetUp }: { next: Device; plugged: boolean; onSetUp: () => void }) {
  const words = useText().replace;
  const name = next.owner ? called(next.owner) : "";
  const show = (
    <ButtonLink variant="default" to="/tokens/$serial" params={{ serial: next.serial }}>
      {words.openNext}
    </ButtonLink>
  );
  if (next.enrolled_at) {
    return (
      <Group gap="xs">
        <NoteButton device={next} />
        {show}
      </Group>
    );
  }
  return (
    <Stack gap="sm">
      <Title order={2}>{words.remains}</Title>
      <Text size="sm">{plugged ? words.setUpHere(name) : words.setUpAway(name)}</Text>
      <Group gap="xs">
        {plugged ? (
          <Button onClick={onSetUp} data-autofocus>
            {words.setUpNow}
          </Button>
        ) : null}
        {show}
      </Group>
    </Stack>
  );
}
