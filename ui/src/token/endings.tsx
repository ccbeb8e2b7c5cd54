import { Alert, Button, Group, List, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCircleCheck, IconHandStop, IconPlugConnectedX } from "@tabler/icons-react";
import { isProblem, Unreachable } from "../api/problem";
import { NoteButton } from "../desk/sheets";
import { isOutcome, type Outcome, type Result, type Way } from "../flow";
import { called } from "../parts/person";
import { ProblemAlert } from "../parts/problem";
import { When } from "../parts/when";
import { type Catalogue, useText } from "../text";
import type { Device, Request } from "./next";
import { slotNames } from "./slots";

/** Finished says that a flow worked, and what comes next. */
export function Finished({
  device,
  mine,
  request,
  result,
  onSetUp,
  onClose,
}: {
  device: Device;
  mine: boolean;
  request: Request;
  result: Result;
  onSetUp: () => void;
  onClose: () => void;
}) {
  const t = useText();
  const words = t.tokens.flow;
  const again = request.what === "reset" || request.what === "set_retries";
  const owner = request.what === "setup" && !mine && device.owner;
  return (
    <Stack gap="md">
      <Group gap="sm" wrap="nowrap" align="flex-start" role="status">
        <ThemeIcon size={36} radius="xl" variant="light" aria-hidden>
          <IconCircleCheck size={22} />
        </ThemeIcon>
        <div>
          <Text fw={600}>{saidDone(words, request, mine, device)}</Text>
          {result.certificates.length + result.kept.length > 1 ? (
            <Held result={result} />
          ) : (
            result.certificates.map((c) => (
              <Text key={c.slot} size="sm" c="dimmed">
                {words.validUntil} <When at={c.notAfter} as="day" />
              </Text>
            ))
          )}
          {result.unchanged && request.what !== "setup" ? (
            <Text size="sm" c="dimmed">
              {words.unchanged}
            </Text>
          ) : null}
          {result.resumed ? (
            <Text size="sm" c="dimmed">
              {words.resumed}
            </Text>
          ) : null}
          {again ? null : <Text size="sm">{words.unplug}</Text>}
          {owner ? <Text size="sm">{(request.pinLater ? words.handOver : words.handBack)(called(owner))}</Text> : null}
        </div>
      </Group>
      <Group justify="flex-end" gap="xs">
        {again ? (
          <>
            <Button variant="default" onClick={onClose}>
              {t.common.actions.close}
            </Button>
            <Button onClick={onSetUp} data-autofocus>
              {t.tokens.actions.enroll}
            </Button>
          </>
        ) : (
          <>
            {owner ? <NoteButton device={device} /> : null}
            <Button onClick={onClose} data-autofocus>
              {words.finish}
            </Button>
          </>
        )}
      </Group>
    </Stack>
  );
}

/** saidDone says what a flow did, to who did it: that is not always who uses the token. */
function saidDone(
  words: Catalogue["tokens"]["flow"],
  { what }: Request,
  mine: boolean,
  { serial, owner }: Device,
): string {
  if (mine) return words.done[what];
  if (what === "setup") return words.doneOther.setup(owner ? called(owner) : serial);
  return what === "unblock" || what === "recover" ? words.doneOther[what] : words.done[what];
}

/** Held lists what each slot of a plan has now. */
function Held({ result: { certificates, kept } }: { result: Result }) {
  const t = useText();
  const words = t.tokens.flow;
  return (
    <List size="sm" my={4} listStyleType="none" aria-label={t.tokens.page.certificates}>
      {slotNames.map((slot) => {
        const held = certificates.find((c) => c.slot === slot);
        if (!held && !kept.includes(slot)) return null;
        return (
          <List.Item key={slot}>
            <span className="mono">{slot}</span> · {t.tokens.slots[slot]}
            <Text size="xs" c="dimmed">
              {held ? (
                <>
                  {words.validUntil} <When at={held.notAfter} as="day" />
                </>
              ) : (
                words.kept
              )}
            </Text>
          </List.Item>
        );
      })}
    </List>
  );
}

type More = { onAgain: () => void; onClose: () => void; plugged: boolean };

function CloseOrContinue({ onAgain, onClose, plugged }: More) {
  const t = useText();
  return (
    <Group justify="flex-end" gap="xs">
      <Button variant="default" onClick={onClose}>
        {t.common.actions.close}
      </Button>
      <Button onClick={onAgain} disabled={!plugged}>
        {t.tokens.flow.continue}
      </Button>
    </Group>
  );
}

/** Stopped says that nothing is lost. */
export function Stopped(more: More) {
  const words = useText().tokens.flow;
  return (
    <Stack gap="md">
      <Alert variant="light" color="gray" icon={<IconHandStop aria-hidden />} title={words.stopped} role="status">
        <Text size="sm">{words.stoppedText}</Text>
      </Alert>
      <CloseOrContinue {...more} />
    </Stack>
  );
}

type FailedProps = More & {
  error: unknown;
  /** PIN tries left, as the card says. */
  pinTries: number | null;
  /** Another flow, as a way out. */
  onOther: (request: Request) => void;
  onNewKey: () => void;
  onOtherPin: () => void;
};

/** Failed says why a flow stopped and what to do: an outcome with its ways out, or an error with its request id. */
export function Failed(props: FailedProps) {
  const words = useText().tokens.flow;
  const { error, plugged, onAgain, onClose } = props;
  if (isOutcome(error)) return <Ended {...props} outcome={error} />;
  const pulled = (!plugged && !isProblem(error, "token_in_use")) || isProblem(error, "token_not_found", "no_token");
  const gone = error instanceof Unreachable && error.peer === "agent";
  return (
    <Stack gap="md">
      {pulled || gone ? (
        <Alert color="orange" variant="light" role="alert" icon={<IconPlugConnectedX aria-hidden />}>
          <Text size="sm">{gone ? words.agentGone : words.pulled}</Text>
        </Alert>
      ) : (
        <ProblemAlert error={error} />
      )}
      <Text size="sm">{words.failedText}</Text>
      <CloseOrContinue onAgain={onAgain} onClose={onClose} plugged={plugged} />
    </Stack>
  );
}

function Ended({
  outcome,
  onAgain,
  onClose,
  onOther,
  onNewKey,
  onOtherPin,
  plugged,
  pinTries,
}: FailedProps & { outcome: Outcome }) {
  const t = useText();
  const words = t.tokens.flow;
  const acts: Partial<Record<Way, () => void>> = {
    type_pin: () => onOther({ what: "recover" }),
    unblock: () => onOther({ what: "unblock" }),
    set_retries: () => onOther({ what: "set_retries" }),
    reset: () => onOther({ what: "reset" }),
    enroll: () => onOther({ what: "setup" }),
    again: onAgain,
    agree: onAgain,
    remove_obstacle: onAgain,
    choose_other_pin: onOtherPin,
    renew_new_key: onNewKey,
  };
  // The agent tries no PIN while fewer than two tries are left.
  const ways = outcome.ways.filter((way) => way !== "type_pin" || pinTries === null || pinTries > 1);
  const best = ways.find((way) => acts[way] && way !== "reset");
  return (
    <Stack gap="md">
      <Alert color="orange" variant="light" role="alert" title={words.failed}>
        <Text size="sm">{said(t, outcome)}</Text>
        {outcome.reasons.length > 0 ? (
          <List size="sm" mt={6}>
            {outcome.reasons.map((r) => (
              <List.Item key={r}>{t.flow.reasons[r] ?? r}</List.Item>
            ))}
          </List>
        ) : null}
      </Alert>
      <Text fw={600} size="sm">
        {words.next}
      </Text>
      <Stack gap="xs">
        {ways.map((way) => {
          const act = acts[way];
          return (
            <Group key={way} gap="sm" justify="space-between" wrap="nowrap" align="flex-start">
              <Text size="sm">{t.flow.ways[way]}</Text>
              {act ? (
                <Button
                  variant={way === best ? "filled" : "default"}
                  size="xs"
                  style={{ flexShrink: 0 }}
                  disabled={!plugged}
                  onClick={act}
                >
                  {words.ways[way as keyof typeof words.ways] ?? words.continue}
                </Button>
              ) : null}
            </Group>
          );
        })}
      </Stack>
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {t.common.actions.close}
        </Button>
      </Group>
    </Stack>
  );
}

function said(t: Catalogue, outcome: Outcome): string {
  const { outcomes, fieldOutcomes, triesLeft, declined } = t.flow;
  if (outcome.declined) return declined;
  const text = (outcome.field && fieldOutcomes[outcome.code]?.[outcome.field]) ?? outcomes[outcome.code];
  return outcome.retriesLeft === null ? text : `${text} ${triesLeft(outcome.retriesLeft)}`;
}
