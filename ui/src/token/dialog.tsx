import { Alert, Button, Group, Modal, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { useAgent } from "../agent/state";
import { isOutcome, type Question } from "../flow";
import { useMe } from "../session/hooks";
import { useText } from "../text";
import { activityOf, lit, type Shown, stagesOf } from "./activity";
import { Asking } from "./asking";
import type { Inputs } from "./carry";
import { planOf, profilesQuery, useRecords, useSeen } from "./data";
import { Failed, Finished, Stopped } from "./endings";
import classes from "./flow.module.css";
import { useSlotNamed } from "./named";
import type { Device, Request } from "./next";
import { type Activity, TokenPicture } from "./picture";
import { answers, questionText } from "./question";
import { type Run, useRunner } from "./runner";
import { type Card, firstFree, type SlotName, slotViews } from "./slots";
import { Doing, FlowSteps } from "./stepper";

type Props = {
  device: Device;
  request: Request;
  /** Why, where that is known before somebody asks. */
  reason?: string;
  /** One of many: what needs no answer is begun by itself, and closes when it is done. */
  quick?: boolean;
  /** It ended, well or not. */
  onEnd?: (well: boolean) => void;
  onClose: () => void;
};

const blank: Inputs = { pin: "", pinAgain: "", typed: "", reason: "", slot: "9a", keepKey: undefined, confirm: "" };

/** FlowDialog guides through a flow: what it needs, its steps on the drawn token, and how it ended. */
export function FlowDialog({ device, request: first, reason = "", quick = false, onEnd, onClose: closed }: Props) {
  const t = useText();
  const words = t.tokens.flow;
  const me = useMe();
  const agent = useAgent();
  const plugged = "tokens" in agent && agent.tokens.some((p) => p.serial === device.serial);
  const mine = device.owner?.id === me.id;
  const seen = useSeen(device.serial, plugged);
  const records = useRecords(device.serial);
  const views = slotViews(
    records.data?.items ?? device.certificates,
    plugged ? seen.data?.card : undefined,
    undefined,
    seen.data?.at,
  );
  const profiles = useQuery(profilesQuery(device.serial)).data;
  const slotNamed = useSlotNamed();
  const [wanted, setRequest] = useState(first);
  const forOther = wanted.what === "setup" && !mine;
  // Whoever sets up a token for somebody else rarely has them there.
  const request = forOther ? { ...wanted, pinLater: wanted.pinLater ?? true } : wanted;
  const [inputs, setInputs] = useState<Inputs>({
    ...blank,
    reason: reason || (first.what === "take_back" ? words.returned : ""),
    slot: first.slot ?? firstFree(views),
  });
  const { run, asked, stopping, start, stop, ask } = useRunner(device);
  const change = (more: Partial<Inputs>) => setInputs((now) => ({ ...now, ...more }));
  const slot = request.slot ?? (request.what === "certificate" ? inputs.slot : "9a");
  const go = (more: Partial<Inputs> = {}) => {
    change(more);
    void start({ request, inputs: { ...inputs, ...more }, slots: views, mine });
  };
  const other = (next: Request) => {
    setRequest(next);
    change({ typed: "", confirm: "" });
    ask();
  };
  const plan = request.what === "setup" ? planOf(profiles) : [];
  const running = run.kind === "running";
  const done = run.kind === "done";
  // Secrets live no longer than what they were typed for. A stopped flow still needs them to go on.
  useEffect(() => {
    if (done) setInputs((now) => ({ ...now, pin: "", pinAgain: "", typed: "" }));
  }, [done]);
  const ended = done ? true : run.kind === "failed" || run.kind === "stopped" ? false : null;
  const latest = useRef({ go, onEnd, close: () => {} });
  useEffect(() => {
    if (quick && first.pinLater) latest.current.go();
  }, [quick, first.pinLater]);
  useEffect(() => {
    if (ended !== null) latest.current.onEnd?.(ended);
    if (ended && quick) latest.current.close();
  }, [ended, quick]);
  const body = useFocus(run.kind === "asking" ? request.what : run.kind);
  const onClose = useReturn(closed);
  const close = () => {
    stop();
    onClose();
  };
  latest.current = { go, onEnd, close };
  return (
    <Modal
      opened
      onClose={close}
      closeOnClickOutside={false}
      closeOnEscape={!running}
      withCloseButton={!running}
      size={640}
      title={titleText(words.titles, request, device.serial, slotNamed)}
      closeButtonProps={{ "aria-label": t.common.actions.close }}
    >
      <div className={classes.frame}>
        <div className={classes.grid}>
          <div className={classes.picture}>
            <TokenPicture
              serial={device.serial}
              formFactor={device.form_factor}
              model={device.model}
              slots={lit(views, slot, stagesOf(request, plan), run.kind === "done" ? "ready" : at(run))}
              plugged={plugged}
              {...(seen.data ? { tries: tries(seen.data.card, run) } : {})}
              active={activity(run, slot)}
              width={132}
            />
          </div>
          <div className={classes.phase} ref={body} tabIndex={-1}>
            {run.kind === "asking" ? (
              <Asking
                device={device}
                request={request}
                views={views}
                profiles={profiles}
                mine={mine}
                plugged={plugged}
                inputs={inputs}
                change={change}
                onPinLater={forOther && !quick ? (pinLater) => setRequest({ ...wanted, pinLater }) : undefined}
                onStart={() => go()}
                onClose={close}
              />
            ) : (
              <Stack gap="md">
                <FlowSteps request={request} mine={mine} plan={plan} at={at(run)} state={stateOf(run)} />
                {running && !asked ? (
                  <Doing request={request} mine={mine} plan={plan} now={run.now} plugged={plugged} />
                ) : null}
                {asked ? <Ask question={asked.question} onAnswer={asked.answer} /> : null}
                {running ? (
                  <Group justify="space-between" gap="xs">
                    <Text size="xs" c={stopping ? undefined : "dimmed"} maw={280} role="status">
                      {plugged ? words.leave : null} {stopping ? words.stopping : words.stopHint}
                    </Text>
                    <Button variant="default" onClick={stop} disabled={stopping}>
                      {words.stop}
                    </Button>
                  </Group>
                ) : null}
                {run.kind === "done" ? (
                  <Finished
                    device={device}
                    mine={mine}
                    request={request}
                    result={run.result}
                    onSetUp={() => other({ what: "setup" })}
                    onClose={onClose}
                  />
                ) : null}
                {run.kind === "stopped" ? <Stopped plugged={plugged} onAgain={() => go()} onClose={onClose} /> : null}
                {run.kind === "failed" ? (
                  <Failed
                    error={run.error}
                    plugged={plugged}
                    pinTries={seen.data?.card.pin_retries ?? null}
                    onAgain={() => go()}
                    onClose={onClose}
                    onOther={other}
                    onNewKey={() => go({ keepKey: false })}
                    onOtherPin={() => {
                      change({ pin: "", pinAgain: "" });
                      ask();
                    }}
                  />
                ) : null}
              </Stack>
            )}
          </div>
        </div>
      </div>
    </Modal>
  );
}

/** Ask puts a question of the flow. Each costs something that does not come back: to leave it is the main answer. */
function Ask({ question, onAnswer }: { question: Question; onAnswer: (yes: boolean) => void }) {
  const t = useText();
  const words = answers(t, question);
  return (
    <Alert color="orange" variant="light" role="alert">
      <Text size="sm">{questionText(t, question)}</Text>
      <Group gap="xs" mt="sm">
        <Button size="xs" onClick={() => onAnswer(false)}>
          {words.no}
        </Button>
        <Button size="xs" variant="default" onClick={() => onAnswer(true)}>
          {words.yes}
        </Button>
      </Group>
    </Alert>
  );
}

/** useFocus moves the focus into the next phase, since the button that led there is gone. */
function useFocus(phase: string) {
  const ref = useRef<HTMLDivElement>(null);
  const before = useRef(phase);
  useEffect(() => {
    if (before.current === phase) return;
    before.current = phase;
    const inside = ref.current?.querySelector<HTMLElement>("[data-autofocus]");
    (inside ?? ref.current)?.focus();
  }, [phase]);
  return ref;
}

/** useReturn gives the focus back to where it was; what was there may be gone, since the flow changed the token. */
function useReturn(onClose: () => void): () => void {
  const [before] = useState(() => document.activeElement);
  return () => {
    onClose();
    setTimeout(() => {
      const there = before instanceof HTMLElement && before.isConnected && before !== document.body;
      (there ? before : document.getElementById("content"))?.focus({ preventScroll: true });
    });
  };
}

type Titles = ReturnType<typeof useText>["tokens"]["flow"]["titles"];

function titleText(titles: Titles, { what, slot = "9a" }: Request, serial: string, slotNamed: (s: SlotName) => string) {
  return what === "renew" ? titles.renew(serial, slotNamed(slot)) : titles[what](serial);
}

/** tries are those that the card told last: a flow that it refused a PIN knows them before the card is read again. */
function tries(card: Card, run: Run): { pin: number | null; puk: number | null } {
  const told = run.kind === "failed" && isOutcome(run.error, "wrong_pin") ? run.error.retriesLeft : null;
  return { pin: told ?? card.pin_retries, puk: card.puk_retries };
}

function at(run: Run): Shown | null {
  if (run.kind === "running") return run.now?.shown ?? null;
  return run.kind === "stopped" || run.kind === "failed" ? run.at : null;
}

function stateOf(run: Run): "running" | "all" | "failed" {
  if (run.kind === "done") return "all";
  return run.kind === "running" ? "running" : "failed";
}

function activity(run: Run, slot: SlotName): Activity | undefined {
  if (run.kind === "done") return { part: "done" };
  if (run.kind !== "running") return undefined;
  return run.now ? activityOf(run.now.event, run.now.event.slot ?? slot) : { part: "read" };
}
