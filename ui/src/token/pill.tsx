import { Button, Popover, Stack, Text, UnstyledButton } from "@mantine/core";
import { agentState, useAgent } from "../agent/state";
import { ProblemAlert } from "../parts/problem";
import { useText } from "../text";
import { Fingerprint } from "./fingerprint";
import classes from "./pill.module.css";

/** AgentPill says in the page's head how it stands with the agent; a click tells more. */
export function AgentPill() {
  const words = useText().agent;
  const state = useAgent();
  const reached = state.kind === "ready" || state.kind === "not_registered" || state.kind === "unconfirmed";
  const color = state.kind === "checking" ? classes.wait : state.kind === "ready" ? classes.good : classes.warn;
  const parts =
    state.kind === "ready"
      ? [words.pill.connected, state.hostname, state.reading ? "" : words.pill.plugged(state.tokens.length)].filter(
          Boolean,
        )
      : [words.pill[state.kind]];
  return (
    <Popover width={340} position="bottom-end" shadow="md" trapFocus>
      <Popover.Target>
        <UnstyledButton className={classes.pill}>
          <span className={`${classes.light} ${color}`} aria-hidden="true" />
          <span className={classes.said} aria-live="polite">
            {parts.join(" · ")}
          </span>
        </UnstyledButton>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs">
          <Text fw={600} size="sm">
            {words.pill.label}
          </Text>
          {reached ? (
            <dl className={classes.facts}>
              <dt>{words.details.host}</dt>
              <dd>{state.hostname}</dd>
              <dt>{words.details.version}</dt>
              <dd className="mono">{state.version}</dd>
            </dl>
          ) : state.kind === "failed" ? (
            <ProblemAlert title={words.trouble.failed.title} error={state.error} />
          ) : (
            <Text size="sm">{words.pill[state.kind]}</Text>
          )}
          {reached ? (
            <div>
              <Text size="sm">{words.details.fingerprint}</Text>
              <Fingerprint value={state.fingerprint} />
              <Text size="xs" c="dimmed">
                {words.details.compare}
              </Text>
            </div>
          ) : null}
          <Button variant="default" size="xs" onClick={() => void agentState.check()}>
            {words.details.check}
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}
