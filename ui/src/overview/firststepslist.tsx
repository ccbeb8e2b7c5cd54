import { Button, Group, Stack, Text, ThemeIcon, VisuallyHidden } from "@mantine/core";
import { IconCheck, IconCircleDashed, IconId, IconUsb } from "@tabler/icons-react";
import { type ReactNode, useState } from "react";
import { type AgentState, useAgent } from "../agent/state";
import { ButtonLink } from "../parts/link";
import { Panel } from "../parts/page";
import { store, stored } from "../parts/stored";
import { useText } from "../text";
import { open, order, type Step, type Steps } from "./firststeps";
import classes from "./todo.module.css";

const key = "first-steps-hidden";

/** useHidden tells whether somebody put the list away in this browser. What is done, the server alone knows. */
export function useHidden(): [boolean, (hidden: boolean) => void] {
  const [hidden, setHidden] = useState(stored(key) === true);
  return [
    hidden,
    (next) => {
      store(key, next);
      setHidden(next);
    },
  ];
}

type Props = { steps: Steps; onHide: () => void };

/** FirstSteps leads through what an empty installation needs. It is gone when all is done. */
export function FirstSteps({ steps, onHide }: Props) {
  const t = useText();
  const words = t.overview.firstSteps;
  return (
    <Panel
      title={words.title}
      aside={
        <Group gap="xs">
          <Text size="sm" c="dimmed" className="numbers">
            {words.progress(order.length - open(steps).length, order.length)}
          </Text>
          <Button variant="subtle" size="xs" onClick={onHide}>
            {words.hide}
          </Button>
        </Group>
      }
    >
      <ul className={`${classes.list} ${classes.steps}`}>
        {order.map((step) => (
          <Line key={step} step={step} done={steps[step]} />
        ))}
        <Optional />
      </ul>
    </Panel>
  );
}

function Line({ step, done }: { step: Step; done: boolean }) {
  const words = useText().overview.firstSteps;
  return (
    <li className={classes.task}>
      <ThemeIcon variant="light" color={done ? "accent" : "gray"} size={32} radius="xl" aria-hidden>
        {done ? <IconCheck size={18} stroke={2} /> : <IconCircleDashed size={18} stroke={1.8} />}
      </ThemeIcon>
      <Stack gap={0} className={classes.text}>
        <Text fw={done ? undefined : 600} c={done ? "dimmed" : undefined}>
          {words.steps[step]}
          <VisuallyHidden>. {done ? words.done : words.open}</VisuallyHidden>
        </Text>
        {done ? null : (
          <Text size="sm" c="dimmed">
            {words.why[step]}
          </Text>
        )}
        {!done && step === "token" ? <PluggedIn /> : null}
      </Stack>
      {done ? null : <Way step={step} />}
    </li>
  );
}

/** Optional leads to what may stay as it is: what each slot's certificates are for. */
function Optional() {
  const words = useText().overview.firstSteps;
  return (
    <li className={classes.task}>
      <ThemeIcon variant="light" color="gray" size={32} radius="xl" aria-hidden>
        <IconId size={18} stroke={1.8} />
      </ThemeIcon>
      <Stack gap={0} className={classes.text}>
        <Text fw={600}>{words.profiles}</Text>
        <Text size="sm" c="dimmed">
          {words.profilesWhy}
        </Text>
      </Stack>
      <ButtonLink to="/admin/profiles" variant="light" size="xs">
        {words.profilesAction}
      </ButtonLink>
    </li>
  );
}

const seen = (agent: AgentState) => ("tokens" in agent ? agent.tokens : []);

/** PluggedIn says that the token to begin with is there already. */
function PluggedIn() {
  const words = useText().overview.firstSteps;
  const tokens = seen(useAgent());
  if (tokens.length === 0) return null;
  return (
    <Group gap={6} mt={4} wrap="nowrap">
      <IconUsb size={16} stroke={1.8} aria-hidden />
      <Text size="sm" fw={600} role="status">
        {words.plugged(tokens.map((token) => token.serial))}
      </Text>
    </Group>
  );
}

/** Way leads to where a step is done. */
function Way({ step }: { step: Step }) {
  const words = useText().overview.firstSteps;
  const look = { variant: "light", size: "xs", children: words.action[step] } as const;
  const ways: Record<Step, ReactNode> = {
    tls: <ButtonLink to="/system/health" {...look} />,
    organization: <ButtonLink to="/admin/organizations" {...look} />,
    people: <ButtonLink to="/admin/people" {...look} />,
    token: <ButtonLink to="/admin/tokens" search={{ register: true }} {...look} />,
    mail: <ButtonLink to="/system/mail" {...look} />,
    backup: <ButtonLink to="/system/backups" {...look} />,
  };
  return ways[step];
}
