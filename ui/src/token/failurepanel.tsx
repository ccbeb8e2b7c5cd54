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
import classes from "./pill.module.css";

/** AgentFailure says what stands between this page and the tokens, why, and what to do; nothing when all is well. */
export function AgentFailure() {
  const words = useText().agent.trouble;
  const state = useAgent();
  if (state.kind === "ready" && state.problem) {
    return <ProblemAlert error={state.problem} onRetry={() => void agentState.check()} />;
  }
  if (state.kind === "ready" && state.inUse.length > 0) {
    return (
      <Alert color="orange" variant="light" role="status" title={words.in_use.title}>
        <Text size="sm">{words.in_use.why(state.inUse)}</Text>
        <Text size="sm" fw={600}>
          {words.in_use.todo}
        </Text>
      </Alert>
    );
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
    case "unconfirmed":
      return <NewAgent state={state} />;
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
  return <Shell command={`keyward-agent --origin ${location.origin}${listen}`} label={words.command} />;
}

/** Shell is a command line to copy. */
function Shell({ command, label }: { command: string; label: string }) {
  return (
    <div>
      <Text size="xs" c="dimmed" mb={4}>
        {label}
      </Text>
      <div className={classes.command}>
        <Copyable value={command} label={label}>
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

/**
 * NewAgent: the person has not used it before. The server wants to know who asks,
 * or that the person has compared the agent's code with what their own prints.
 */
function NewAgent({ state }: { state: Extract<AgentState, { kind: "unconfirmed" | "not_registered" }> }) {
  const { unconfirmed: words, not_registered: fresh } = useText().agent.trouble;
  const recently = useRecent();
  const { busy, run } = useAttempt();
  const take = () =>
    void run(() =>
      agentState
        .register(recently)
        .then((taken) => taken && done(words.done))
        .catch(tell),
    );
  if (state.kind === "not_registered") {
    return (
      <>
        <Say why={fresh.why} todo={fresh.todo} />
        <Group>
          <Button onClick={take} loading={busy}>
            {fresh.button}
          </Button>
        </Group>
      </>
    );
  }
  return (
    <>
      <Say why={words.why} todo={words.todo} />
      <Shell command="keyward-agent code" label={words.command} />
      <Alert variant="light" color="gray">
        <Text size="xs" c="dimmed">
          {words.code} · {state.hostname}
        </Text>
        <span className={classes.fingerprint}>{state.code}</span>
      </Alert>
      <Text size="sm">{words.differs}</Text>
      <Group>
        <Button onClick={take} loading={busy}>
          {words.button}
        </Button>
      </Group>
    </>
  );
}
