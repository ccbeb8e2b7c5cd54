import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconPlugConnectedX } from "@tabler/icons-react";
import { agentAddress } from "../agent/address";
import { type AgentState, agentState, useAgent } from "../agent/state";
import { useAttempt } from "../parts/attempt";
import { Copyable } from "../parts/copy";
import { Panel } from "../parts/page";
import { done, ProblemAlert, tell } from "../parts/problem";
import { useRecent } from "../session/recent";
import { useText } from "../text";
import { Downloads, Policies } from "./downloads";
import { Fingerprint } from "./fingerprint";
import classes from "./pill.module.css";

/** troubled tells whether the agent's state keeps tokens out of reach. */
export function troubled(state: AgentState): boolean {
  return state.kind !== "checking" && state.kind !== "ready";
}

/** AgentTrouble says what stands between this page and the tokens, why, and what to do; nothing when all is well. */
export function AgentTrouble() {
  const words = useText().agent.trouble;
  const state = useAgent();
  if (state.kind === "ready" && state.problem) {
    return <ProblemAlert error={state.problem} onRetry={() => void agentState.check()} />;
  }
  if (state.kind === "failed") {
    return <ProblemAlert title={words.failed.title} error={state.error} onRetry={() => void agentState.check()} />;
  }
  if (state.kind === "checking" || state.kind === "ready") return null;
  return (
    <Panel
      title={
        <Group gap="xs" component="span">
          <IconPlugConnectedX size={20} aria-hidden />
          {words[state.kind].title}
        </Group>
      }
    >
      <Stack gap="sm" maw={760} role="status">
        <Explained state={state} />
      </Stack>
    </Panel>
  );
}

type Troubled = Exclude<AgentState, { kind: "checking" | "ready" | "failed" }>;

function Explained({ state }: { state: Troubled }) {
  const words = useText().agent.trouble;
  switch (state.kind) {
    case "missing":
      return (
        <>
          <Say why={words.missing.why} todo={words.missing.todo} />
          <Command />
          <Downloads />
          <Again />
        </>
      );
    case "foreign_origin":
      return (
        <>
          <Say why={words.foreign_origin.why} todo={words.foreign_origin.todo} />
          <Command />
          <Again />
        </>
      );
    case "too_old":
      return (
        <>
          <Say why={words.too_old.why(state.version, state.least)} todo={words.too_old.todo} />
          <Downloads />
          <Command />
          <Again />
        </>
      );
    case "prompt":
      return (
        <>
          <Say why={words.prompt.why} todo={words.prompt.todo} />
          <Group>
            <Button onClick={() => void agentState.check({ prompt: true })}>{words.allow}</Button>
          </Group>
        </>
      );
    case "denied":
      if (state.insecure) return <Text size="sm">{words.denied.insecure}</Text>;
      return (
        <>
          <Say why={words.denied.why} todo={words.denied.todo} />
          <Text size="sm">{words.denied.managed}</Text>
          <Policies />
          <Again />
        </>
      );
    case "not_registered":
    case "other":
      return <OtherAgent state={state} />;
  }
}

function Say({ why, todo }: { why: string; todo: string }) {
  return (
    <>
      <Text size="sm">{why}</Text>
      <Text size="sm" fw={600}>
        {todo}
      </Text>
    </>
  );
}

function Command() {
  const words = useText().agent.trouble;
  const { host, port } = new URL(agentAddress());
  const listen = port === "56123" ? "" : ` --listen ${host}`;
  const command = `keyward-agent --origin ${location.origin}${listen}`;
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {words.command}
      </Text>
      <div className={classes.command}>
        <Copyable value={command} label={words.command}>
          <code>{command}</code>
        </Copyable>
      </div>
    </div>
  );
}

function Again() {
  const words = useText().agent.trouble;
  return (
    <Group gap="sm">
      <Button variant="default" onClick={() => void agentState.check()}>
        {words.retry}
      </Button>
      <Text size="xs" c="dimmed">
        {words.listening}
      </Text>
    </Group>
  );
}

/** OtherAgent: the session knows another key than the one that answers, or none. The person decides, by the fingerprint. */
function OtherAgent({ state }: { state: Extract<AgentState, { kind: "other" | "not_registered" }> }) {
  const { other: words, not_registered: fresh } = useText().agent.trouble;
  const recently = useRecent();
  const { busy, run } = useAttempt();
  const take = () =>
    void run(() =>
      agentState
        .register(recently)
        .then(() => done(words.done))
        .catch(tell),
    );
  return (
    <>
      {state.kind === "other" ? (
        <Say why={words.why(state.registeredHostname)} todo={words.todo} />
      ) : (
        <Say why={fresh.why} todo={fresh.todo} />
      )}
      <Alert variant="light" color="gray">
        <Text size="xs" c="dimmed">
          {words.now} · {state.hostname}
        </Text>
        <Fingerprint value={state.fingerprint} />
        {state.kind === "other" ? (
          <>
            <Text size="xs" c="dimmed" mt={6}>
              {words.was}
            </Text>
            <Fingerprint value={state.registered} />
          </>
        ) : null}
      </Alert>
      <Group>
        <Button onClick={take} loading={busy}>
          {words.button}
        </Button>
      </Group>
    </>
  );
}
