import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconChecklist, IconPrinter, IconTag } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useAgent } from "../agent/state";
import type { Schema } from "../api/client";
import { useAttempt } from "../parts/attempt";
import { TextLink } from "../parts/link";
import { Empty, Page, Panel } from "../parts/page";
import { identified } from "../parts/person";
import { useSettled } from "../parts/settle";
import { store, stored } from "../parts/stored";
import { useWish } from "../parts/wish";
import { useMe } from "../session/hooks";
import { useText } from "../text";
import { useSeen } from "../token/data";
import { FlowDialog } from "../token/dialog";
import { AgentFailure } from "../token/failurepanel";
import { useGive } from "../token/give";
import { PinChoice } from "../token/inputs";
import type { Device } from "../token/next";
import { AgentPill } from "../token/pill";
import classes from "./desk.module.css";
import { Entry } from "./entry";
import { type Line, useLines } from "./lines";
import { added, assigning, belongs, marked, useQueue, without } from "./queue";
import { Rows } from "./rows";
import { type Sheet, Sheets } from "./sheets";
import { Today } from "./today";

/** The Desk sets up one token after the other for other people. What of it is done is read from the tokens. */
export function TheDesk() {
  const t = useText();
  const words = t.desk;
  const me = useMe();
  const agent = useAgent();
  const queries = useQueryClient();
  const give = useGive();
  const attempt = useAttempt();
  const { queue, change } = useQueue(me.id);
  const field = useRef<HTMLInputElement>(null);
  const [said, setSaid] = useState("");
  /** What was said leads there: to a person, or to the token of a serial number. */
  const [lead, setLead] = useState<number | string>();
  const say = (text: string, to?: number | string) => {
    setSaid(text);
    setLead(to);
  };
  const [reason, setReason] = useState(words.reason.first);
  const [pinLater, setPinLater] = useState(() => stored(`desk-pin-${me.id}`) !== "now");
  const [chosen, setChosen] = useState<string>();
  const [flow, setFlow] = useState<string>();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  const plugged = "tokens" in agent ? agent.tokens : [];
  const { lines, beside } = useLines(queue, plugged, flow);
  // What is plugged in stands above the queue, and must not push it away.
  const settled = useSettled(
    agent.kind !== "checking" &&
      !("reading" in agent && agent.reading) &&
      [...lines, ...beside].every((l) => l.state !== "loading"),
  );
  useComing(beside, plugged, (serial) => change((q) => added(q, serial)));

  const waiting = lines.filter((l) => l.state === "name");
  const current =
    waiting.find((l) => l.serial === chosen) ??
    waiting.find((l) => l.token) ??
    (waiting.length > 0 ? waiting[0] : undefined);
  const due = lines.find((l) => l.token && (l.state === "ready" || l.state === "failed"));
  const back = () => field.current?.focus();

  const why = reason.trim() || words.reason.first;
  const assign = async (person: Schema<"User">) => {
    if (!current) {
      say(words.entry.noToken, person.id);
      return true;
    }
    await give(current.serial, person.id, why);
    setChosen(undefined);
    say(words.entry.given(current.serial, identified(person)));
    if (current.token) setFlow(current.serial);
    return true;
  };
  const take = (serial: string, device: Device | null) => {
    change((q) => added(q, serial, !!device?.enrolled_at));
    setChosen(serial);
    if (device && !belongs(device)) setLead(serial);
  };
  const [wish, forget] = useWish();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for what somebody came with
  useEffect(() => {
    if (!wish?.startsWith(assigning)) return;
    take(wish.slice(assigning.length), null);
    forget();
  }, [wish]);
  const finished = lines.filter(({ state }) => ["done", "whole", "before", "out"].includes(state));
  const given = lines.filter((l) => l.device?.owner && l.state !== "out");
  const print = (kind: Sheet["kind"], some: readonly Line[]) =>
    setSheet({ kind, devices: some.flatMap((l) => (l.device?.owner ? [l.device] : [])) });
  const running = lines.find((l) => l.serial === flow)?.device;
  return (
    <>
      <Page title={words.title} actions={<AgentPill />} below>
        <AgentFailure />
        <Panel>
          <div className={classes.entry}>
            <div>
              <Entry
                attempt={attempt}
                title={
                  current
                    ? words.entry.whose(current.serial)
                    : due?.device?.owner
                      ? words.entry.set(due.serial, identified(due.device.owner))
                      : words.entry.plug
                }
                said={said}
                lead={
                  typeof lead === "number" ? (
                    <TextLink to="/admin/people/$id" params={{ id: String(lead) }} size="sm" underline="always">
                      {words.entry.lookPerson}
                    </TextLink>
                  ) : lead ? (
                    <TextLink to="/tokens/$serial" params={{ serial: lead }} size="sm" underline="always">
                      {words.entry.look}
                    </TextLink>
                  ) : null
                }
                onSaid={say}
                here={[...lines, ...beside].map((l) => l.serial)}
                field={field}
                onPerson={assign}
                onToken={take}
                onNothing={() => due && setFlow(due.serial)}
              />
            </div>
            <Stack gap="sm">
              <PinChoice
                later={pinLater}
                onChange={(later) => {
                  store(`desk-pin-${me.id}`, later ? "later" : "now");
                  setPinLater(later);
                }}
              />
              <TextInput
                label={words.reason.label}
                value={reason}
                maxLength={200}
                onChange={(e) => setReason(e.currentTarget.value)}
              />
            </Stack>
          </div>
          <Beside lines={beside} />
        </Panel>
        <div className={classes.grid} style={settled ? undefined : { visibility: "hidden" }}>
          <Panel
            title={words.queue.title}
            aside={
              lines.length > 0 ? (
                <Group gap="xs">
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<IconPrinter size={16} aria-hidden />}
                    disabled={given.length === 0}
                    onClick={() => print("notes", given)}
                  >
                    {words.queue.notes}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<IconTag size={16} aria-hidden />}
                    disabled={given.length === 0}
                    onClick={() => print("tags", given)}
                  >
                    {words.queue.labels}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    disabled={finished.length === 0}
                    onClick={() => {
                      change((q) =>
                        without(
                          q,
                          finished.map((l) => l.serial),
                        ),
                      );
                      back();
                    }}
                  >
                    {words.queue.clear}
                  </Button>
                </Group>
              ) : undefined
            }
          >
            {lines.length > 0 ? (
              <Rows
                lines={lines}
                current={current?.serial}
                onName={(serial) => {
                  setChosen(serial);
                  back();
                }}
                onStart={setFlow}
                onPrint={print}
                onRemove={(serial) => {
                  change((q) => without(q, [serial]));
                  back();
                }}
              />
            ) : (
              <Empty icon={IconChecklist} title={words.queue.none} text={words.queue.noneText} />
            )}
          </Panel>
          <Panel title={words.today.title}>
            <Today />
          </Panel>
        </div>
        {flow && running ? (
          <FlowDialog
            key={flow}
            device={running}
            request={{ what: "setup", pinLater }}
            reason={why}
            quick
            onEnd={(well) => {
              change((q) => marked(q, flow, !well));
              if (well) say("");
              void queries.invalidateQueries({ queryKey: ["audit", "desk"] });
            }}
            onClose={() => {
              setFlow(undefined);
              setTimeout(back);
            }}
          />
        ) : null}
      </Page>
      {sheet ? <Sheets sheet={sheet} onDone={() => setSheet(null)} /> : null}
    </>
  );
}

/** Beside says of tokens that are plugged in, but not for the queue, whose they are, and leads to what can be done. */
function Beside({ lines }: { lines: readonly Line[] }) {
  return lines.map(({ serial, device }) =>
    device && !belongs(device) ? <Other key={serial} serial={serial} device={device} /> : null,
  );
}

function Other({ serial, device }: { serial: string; device: Device }) {
  const t = useText();
  const words = t.desk.entry;
  const blocked = useSeen(serial, true).data?.card.pin_retries === 0;
  return (
    <Text size="sm" c="dimmed" mt="xs">
      {device.enrolled_at && device.owner && device.status === "active"
        ? words.already(serial, identified(device.owner))
        : words.outOfUse(serial, t.common.status[device.status])}{" "}
      {blocked ? <b>{words.blocked} </b> : null}
      <TextLink
        to="/tokens/$serial"
        params={{ serial }}
        underline="always"
        {...(blocked && { state: { wish: "unblock" } })}
      >
        {blocked ? t.tokens.actions.unblock : words.look}
      </TextLink>
    </Text>
  );
}

/** useComing puts in the queue what is plugged in and still to be set up, once each time that it is plugged in. */
function useComing(beside: readonly Line[], plugged: readonly { serial: string }[], come: (serial: string) => void) {
  const seen = useRef(new Set<string>());
  useEffect(() => {
    const here = new Set(plugged.map((p) => p.serial));
    for (const serial of seen.current) if (!here.has(serial)) seen.current.delete(serial);
    for (const { serial, device } of beside) {
      if (device === undefined || seen.current.has(serial)) continue;
      seen.current.add(serial);
      if (belongs(device)) come(serial);
    }
  });
}
