import { PasswordInput, Radio, SegmentedControl, Switch, Text, TextInput } from "@mantine/core";
import { useId } from "react";
import type { Schema } from "../api/client";
import { useText } from "../text";
import type { Inputs } from "./carry";
import classes from "./flow.module.css";
import { type Device, erases, type Request } from "./next";
import { pinFault } from "./pin";
import { none, purposeOf } from "./purpose";
import { SlotChip } from "./slotlist";
import { type SlotName, type SlotView, slotNames } from "./slots";

type Change = (more: Partial<Inputs>) => void;
export type Form = { inputs: Inputs; change: Change; tried: boolean };

/** wants lists what a request must be told before it can start. */
export function wants({ what, slot, pinLater }: Request): {
  pin: boolean;
  typed: "" | "must" | "may";
  slot: boolean;
  confirm: boolean;
} {
  return {
    pin: (what === "setup" && !pinLater) || what === "change_pin" || what === "unblock" || what === "recover",
    typed: what === "recover" ? "must" : what === "set_retries" ? "may" : "",
    slot: what === "certificate" && slot === undefined,
    confirm: erases(what),
  };
}

/** complete tells whether a flow can start. */
export function complete(request: Request, inputs: Inputs, device: Device, mine: boolean): boolean {
  const need = wants(request);
  if (!mine && inputs.reason.trim() === "") return false;
  if (need.pin && (pinFault(inputs.pin) !== "" || inputs.pin !== inputs.pinAgain)) return false;
  if (need.typed === "must" && !/^.{4,8}$/.test(inputs.typed)) return false;
  return !need.confirm || inputs.confirm === device.serial;
}

const digits = { inputMode: "numeric", autoComplete: "off", maxLength: 8 } as const;

/** PinFields takes a new PIN, twice. */
export function PinFields({ inputs, change, tried, mine, first }: Form & { mine: boolean; first: boolean }) {
  const words = useText().tokens.flow;
  const fault = tried || inputs.pin.length >= 6 ? pinFault(inputs.pin) : "";
  const unlike = inputs.pinAgain !== "" && (tried || inputs.pinAgain.length >= inputs.pin.length);
  return (
    <>
      <PasswordInput
        {...digits}
        label={mine ? words.pin : words.newPin}
        description={mine ? words.pinHint : words.pinHintOther}
        value={inputs.pin}
        data-autofocus={first ? true : undefined}
        error={fault === "digits" ? words.digits : fault === "easy" ? words.easy : undefined}
        onChange={(e) => change({ pin: e.currentTarget.value })}
      />
      <PasswordInput
        {...digits}
        label={words.pinAgain}
        value={inputs.pinAgain}
        error={(unlike || tried) && inputs.pinAgain !== inputs.pin ? words.mismatch : undefined}
        onChange={(e) => change({ pinAgain: e.currentTarget.value })}
      />
    </>
  );
}

/** PinChoice asks who sets up a token for somebody else when its owner chooses the PIN. */
export function PinChoice({ later, onChange }: { later: boolean; onChange: (later: boolean) => void }) {
  const words = useText().desk.pin;
  const id = useId();
  return (
    <div>
      <Text size="sm" fw={600} mb={4} id={id}>
        {words.label}
      </Text>
      <SegmentedControl
        fullWidth
        orientation="vertical"
        aria-labelledby={id}
        value={later ? "later" : "now"}
        onChange={(value) => onChange(value === "later")}
        data={[
          { value: "later", label: words.later },
          { value: "now", label: words.now },
        ]}
      />
    </div>
  );
}

/** TypedPin takes the PIN that the card has now. */
export function TypedPin({ inputs, change, optional }: Form & { optional: boolean }) {
  const words = useText().tokens.flow;
  return (
    <PasswordInput
      {...digits}
      inputMode="text"
      label={optional ? words.presentPinOptional : words.presentPin}
      value={inputs.typed}
      data-autofocus
      onChange={(e) => change({ typed: e.currentTarget.value })}
    />
  );
}

/** ReasonField asks why somebody else's token is touched. */
export function ReasonField({ inputs, change, owner }: Form & { owner: string }) {
  const words = useText().tokens.flow;
  return (
    <TextInput
      label={words.reason}
      description={words.reasonHint(owner)}
      value={inputs.reason}
      maxLength={200}
      required
      data-autofocus
      onChange={(e) => change({ reason: e.currentTarget.value })}
    />
  );
}

/** ConfirmSerial has the serial typed, before keys are destroyed. */
export function ConfirmSerial({ inputs, change, serial, first }: Form & { serial: string; first: boolean }) {
  const words = useText().tokens.flow;
  return (
    <TextInput
      label={words.confirmSerial(serial)}
      value={inputs.confirm}
      autoComplete="off"
      spellCheck={false}
      data-autofocus={first ? true : undefined}
      onChange={(e) => change({ confirm: e.currentTarget.value.trim() })}
    />
  );
}

type Profiles = Schema<"UsableProfiles"> | undefined;

/** PlanList says which slots a set-up fills, and what each is for. */
export function PlanList({ plan, profiles }: { plan: readonly SlotName[]; profiles: Profiles }) {
  const t = useText();
  return (
    <ul className={classes.plan} aria-label={t.tokens.page.slots}>
      {plan.map((slot) => (
        <li key={slot} className={classes.choiceGrid}>
          <SlotChip slot={slot} light="valid" />
          <div>
            <Text size="sm" fw={600}>
              {t.tokens.slots[slot]}
            </Text>
            <Text size="xs" c="dimmed">
              {purposeOf(t, profiles, slot) ?? t.tokens.slotUses[slot]}
            </Text>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** SlotChoice asks what a new certificate is for. */
export function SlotChoice({ inputs, change, views, profiles }: Form & ChoiceViews) {
  const words = useText().tokens;
  return (
    <Radio.Group
      label={words.flow.slot}
      value={inputs.slot}
      onChange={(value) => {
        const slot = slotNames.find((s) => s === value);
        if (slot) change({ slot, keepKey: undefined });
      }}
    >
      <div className={classes.choices}>
        {slotNames.map((slot) => (
          <Choice
            key={slot}
            profiles={profiles}
            slot={slot}
            chosen={slot === inputs.slot}
            view={views.find((v) => v.slot === slot)}
          />
        ))}
      </div>
    </Radio.Group>
  );
}

type ChoiceViews = { views: readonly SlotView[]; profiles: Profiles };
type ChoiceProps = { profiles: Profiles; slot: SlotName; chosen: boolean; view: SlotView | undefined };

function Choice({ profiles, slot, chosen, view }: ChoiceProps) {
  const t = useText();
  const words = t.tokens;
  return (
    <Radio.Card
      value={slot}
      disabled={profiles?.slots[slot] === none}
      className={classes.choice}
      data-autofocus={chosen ? true : undefined}
      aria-label={`${slot} ${words.slots[slot]}`}
    >
      <div className={classes.choiceGrid}>
        <SlotChip slot={slot} light={view?.light ?? "empty"} />
        <div>
          <Text size="sm" fw={600}>
            {words.slots[slot]}
          </Text>
          <Text size="xs" c="dimmed">
            {purposeOf(t, profiles, slot) ?? words.slotUses[slot]}
            {view?.certificate && view.onCard ? ` · ${words.flow.replaces}` : ""}
          </Text>
        </div>
        <Radio.Indicator />
      </div>
    </Radio.Card>
  );
}

/** KeepKey lets a renewal keep the key, or make a new one. */
export function KeepKey({ inputs, change }: Form) {
  const words = useText().tokens.flow;
  return (
    <Switch
      label={words.keepKey}
      description={words.keepKeyHint}
      checked={inputs.keepKey ?? inputs.slot === "9d"}
      onChange={(e) => change({ keepKey: e.currentTarget.checked })}
    />
  );
}
