import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Schema } from "../api/client";
import { called } from "../parts/person";
import { Warning } from "../parts/warning";
import { useText } from "../text";
import type { Inputs } from "./carry";
import { planOf } from "./data";
import {
  ConfirmSerial,
  complete,
  KeepKey,
  PinChoice,
  PinFields,
  PlanList,
  ReasonField,
  SlotChoice,
  TypedPin,
  wants,
} from "./inputs";
import { useNamed, usePlain, useSlotNamed } from "./named";
import { type Device, erases, type Request } from "./next";
import type { SlotView } from "./slots";

type Props = {
  device: Device;
  request: Request;
  views: readonly SlotView[];
  /** What the slots are for; undefined while that is not known. */
  profiles: Schema<"UsableProfiles"> | undefined;
  mine: boolean;
  plugged: boolean;
  inputs: Inputs;
  change: (more: Partial<Inputs>) => void;
  /** Asked of a set-up for somebody else. */
  onPinLater: ((later: boolean) => void) | undefined;
  onStart: () => void;
  onClose: () => void;
};

/** Asking is the beginning of a flow: what it does, and what must be known first. */
export function Asking({
  device,
  request,
  views,
  profiles,
  mine,
  plugged,
  inputs,
  change,
  onPinLater,
  onStart,
  onClose,
}: Props) {
  const t = useText();
  const words = t.tokens.flow;
  const { what, slot } = request;
  const [tried, setTried] = useState(false);
  const plain = usePlain();
  const slotNamed = useSlotNamed();
  const named = useNamed();
  const need = wants(request);
  const form = { inputs, change, tried };
  const submit = (e: FormEvent) => {
    e.preventDefault();
    setTried(true);
    if (plugged && complete(request, inputs, device, mine)) onStart();
  };
  const target = views.find((v) => v.slot === (slot ?? inputs.slot));
  const plan = what === "setup" ? planOf(profiles) : [];
  const several = plan.length > 1;
  const over = target?.light === "expired" || target?.light === "revoked";
  const half = what === "renew" && target?.light === "unfinished";
  const resumed = what === "certificate" && slot !== undefined;
  const renewing = what === "renew" || (what === "certificate" && target?.recorded && target.onCard);
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        {erases(what) ? (
          <Warning danger title={named(device)}>
            {words.why[what]}
          </Warning>
        ) : (
          <Text size="sm">
            {half
              ? words.whyUnfinished
              : resumed
                ? words.whyContinued(plain ? slotNamed(slot) : t.tokens.certificateFor(slot))
                : what === "renew" && over
                  ? words.whyOver
                  : several
                    ? words.why.setupSeveral
                    : words.why[what]}
          </Text>
        )}
        {several ? <PlanList plan={plan} profiles={profiles} /> : null}
        {mine ? null : <ReasonField {...form} owner={device.owner ? called(device.owner) : t.common.unknown} />}
        {need.typed ? <TypedPin {...form} optional={need.typed === "may"} /> : null}
        {onPinLater ? <PinChoice later={!need.pin} onChange={onPinLater} /> : null}
        {need.pin ? <PinFields {...form} mine={mine} first={mine && !need.typed} /> : null}
        {need.slot ? <SlotChoice {...form} views={views} profiles={profiles} /> : null}
        {renewing && !resumed ? <KeepKey {...form} /> : null}
        {need.confirm ? <ConfirmSerial {...form} serial={device.serial} first={mine} /> : null}
        {plugged ? null : (
          <Alert color="orange" variant="light" role="status">
            <Text size="sm">{words.unplugged}</Text>
          </Alert>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {t.common.actions.cancel}
          </Button>
          <Button
            type="submit"
            data-autofocus={(what === "renew" || resumed) && mine ? true : undefined}
            color={erases(what) ? "red.8" : undefined}
            disabled={!plugged || (erases(what) && !complete(request, inputs, device, mine))}
          >
            {resumed ? words.continue : words.start[what]}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
