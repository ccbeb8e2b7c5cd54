import { ActionIcon, Button, Group, Loader, Menu, Table, Text } from "@mantine/core";
import {
  IconAlertTriangle,
  IconCircleCheck,
  IconDots,
  IconHelpCircle,
  IconPlayerPause,
  IconPlug,
  IconUsb,
  IconUserQuestion,
} from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { TextLink } from "../parts/link";
import { Status } from "../parts/status";
import { type Catalogue, useText } from "../text";
import classes from "./desk.module.css";
import type { Line } from "./lines";
import type { State } from "./queue";
import { Whose } from "./whose";

type Look = Pick<ComponentProps<typeof Status>, "color" | "icon">;

const looks: Record<State, Look> = {
  name: { color: "blue", icon: IconUserQuestion },
  away: { color: "gray", icon: IconPlug },
  ready: { color: "blue", icon: IconUsb },
  running: { color: "blue", icon: IconUsb },
  failed: { color: "orange", icon: IconPlayerPause },
  pin: { color: "orange", icon: IconHelpCircle },
  out: { color: "red", icon: IconAlertTriangle },
  done: { color: "accent", icon: IconCircleCheck },
  before: { color: "gray", icon: IconCircleCheck },
  whole: { color: "accent", icon: IconCircleCheck },
};

export type RowActs = {
  onName: (serial: string) => void;
  onStart: (serial: string) => void;
  onPrint: (kind: "notes" | "tags", lines: Line[]) => void;
  onRemove: (serial: string) => void;
};

type Props = RowActs & { lines: readonly Line[]; current: string | undefined };

/** Rows are the tokens of the queue: whose each is, how it stands, and what comes next. */
export function Rows({ lines, current, ...acts }: Props) {
  const words = useText().desk.queue;
  return (
    <Table aria-label={words.label} verticalSpacing={8} className={classes.rows}>
      <Table.Thead>
        <Table.Tr>
          <Table.Th w={{ base: "auto", sm: 210 }}>{words.token}</Table.Th>
          <Table.Th visibleFrom="sm">{words.person}</Table.Th>
          <Table.Th visibleFrom="sm">{words.state}</Table.Th>
          <Table.Td />
        </Table.Tr>
      </Table.Thead>
      <Table.Tbody>
        {lines.map((line) => (
          <Row key={line.serial} line={line} now={line.serial === current} {...acts} />
        ))}
      </Table.Tbody>
    </Table>
  );
}

function Row({ line, now, onName, onStart, onPrint, onRemove }: RowActs & { line: Line; now: boolean }) {
  const t = useText();
  const words = t.desk.queue;
  const { serial, device, token, state } = line;
  const about = device ? [device.label, device.model].filter(Boolean).join(" · ") : (token?.model ?? "");
  const owner =
    device === null ? (
      <Text size="sm" c="dimmed" span>
        {words.notRegistered}
      </Text>
    ) : device?.owner ? (
      <Whose owner={device.owner} />
    ) : device ? (
      <Text size="sm" c="dimmed" span>
        {words.nobody}
      </Text>
    ) : null;
  return (
    <Table.Tr className={now ? classes.now : undefined} aria-current={now ? "true" : undefined}>
      <Table.Td>
        {device ? (
          <TextLink to="/tokens/$serial" params={{ serial }} className="mono">
            {serial}
          </TextLink>
        ) : (
          <span className="mono">{serial}</span>
        )}
        <Text size="xs" c="dimmed">
          {about}
        </Text>
        <div className={classes.narrow}>
          <Text size="sm">{owner}</Text>
          <Standing line={line} now={now} />
        </div>
      </Table.Td>
      <Table.Td visibleFrom="sm">{owner}</Table.Td>
      <Table.Td visibleFrom="sm">
        <Standing line={line} now={now} />
      </Table.Td>
      <Table.Td className={classes.acts}>
        <Group gap={6} justify="flex-end" wrap="nowrap">
          {state === "name" && !now ? (
            <Button size="xs" variant="default" onClick={() => onName(serial)}>
              {words.name}
            </Button>
          ) : null}
          {state === "ready" || (state === "failed" && token) ? (
            <Button size="xs" onClick={() => onStart(serial)}>
              {state === "failed" ? words.continue : words.setUp}
            </Button>
          ) : null}
          <Menu position="bottom-end" shadow="md" withinPortal>
            <Menu.Target>
              <ActionIcon variant="subtle" color="gray" aria-label={words.more(serial)}>
                <IconDots size={18} aria-hidden />
              </ActionIcon>
            </Menu.Target>
            <Menu.Dropdown>
              {device?.owner ? (
                <>
                  <Menu.Item onClick={() => onPrint("notes", [line])}>{words.note}</Menu.Item>
                  <Menu.Item onClick={() => onPrint("tags", [line])}>{words.tag}</Menu.Item>
                </>
              ) : null}
              <Menu.Item onClick={() => onRemove(serial)}>{words.remove}</Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </Group>
      </Table.Td>
    </Table.Tr>
  );
}

/** Standing is how a line stands, and what comes next. */
function Standing({ line, now }: { line: Line; now: boolean }) {
  const { state, device } = line;
  const t = useText();
  const words = t.desk;
  if (state === "loading") return <Loader size={14} />;
  if (state === "unknown") {
    return (
      <Text size="sm" c="dimmed">
        {words.queue.unknown}
      </Text>
    );
  }
  const next = nextOf({ ...line, state }, now, words.next);
  const said = state === "out" && device ? t.common.status[device.status] : words.states[state];
  return (
    <>
      <Status {...looks[state]}>{said}</Status>
      {next ? (
        <Text size="xs" c="dimmed" mt={2}>
          {next}
        </Text>
      ) : null}
    </>
  );
}

/** nextOf says what comes next; of the tokens without a name only for the one that is asked for. */
function nextOf({ state, token, device }: Line & { state: State }, now: boolean, words: Catalogue["desk"]["next"]) {
  if (state === "name" && !now) return "";
  if (state === "failed" && !token) return words.failedAway;
  if (state === "before") return "";
  return state === "out" && device?.owner && device.status === "suspended" ? words.suspended : words[state];
}
