import { Radio, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAttempt } from "../parts/attempt";
import { Form } from "../parts/form";
import { called } from "../parts/person";
import { Warning } from "../parts/warning";
import { useLanguage, useText } from "../text";
import { useChange, useGive } from "../token/give";
import { useNamed } from "../token/named";
import type { Device } from "../token/next";
import classes from "./replace.module.css";
import { becomes, fits, type Why, whys } from "./standing";
import { Successor, useFit, useTheirs } from "./successor";

type Props = {
  old: Device;
  /** The old one is out of use already: what is left is its successor. */
  out: boolean;
  /** The successor that was chosen before. */
  chosen: string;
  /** The successor stands in the address before anything is done, so that a reload knows it. */
  onChosen: (serial: string) => void;
  onDone: (serial: string, reason: string) => void;
  onCancel: () => void;
};

/** ReplaceForm asks what is still to be known, and does what is left up to the successor's set-up. */
export function ReplaceForm({ old, out, chosen, onChosen, onDone, onCancel }: Props) {
  const t = useText();
  const words = t.replace;
  const language = useLanguage();
  const attempt = useAttempt();
  const change = useChange();
  const give = useGive();
  const named = useNamed();
  const [why, setWhy] = useState<Why>();
  const [note, setNote] = useState("");
  const [serial, setSerial] = useState(chosen);
  const next = serial.trim();
  const fit = useFit(old, next)?.fit;
  const known = next === "" ? !out : fit !== undefined && fits(fit);
  const name = old.owner ? called(old.owner) : "";
  const theirs = useTheirs(old.owner?.id).data?.items;
  const inUse = theirs?.filter((d) => d.serial !== old.serial && d.status === "active").map((d) => d.serial);

  const submit = async () => {
    onChosen(next);
    if (!out && why) {
      const status = becomes[why];
      const reason = [words.reasons[why], next && words.reasons.by(next), note.trim()].filter(Boolean).join(". ");
      await change(old.serial, { status, reason });
    }
    if (!next || !old.owner) return;
    const reason = [words.reasons.of(old.serial), note.trim()].filter(Boolean).join(". ");
    await give(next, old.owner.id, reason);
    onDone(next, reason);
  };
  const action = out
    ? words.submit.assign
    : why
      ? words.submit[next ? (`${becomes[why]}AndAssign` as const) : becomes[why]]
      : words.submit.replace;
  const missing = !out && !why ? words.missing.why : out && next === "" ? words.missing.next : "";
  return (
    <div className={classes.form}>
      <Form
        attempt={attempt}
        onSubmit={submit}
        submit={action}
        disabled={!known || missing !== ""}
        danger={!out}
        onCancel={onCancel}
      >
        {out && inUse ? (
          <Text size="sm">
            {inUse.length > 0
              ? words.hasOther(name, inUse.length, new Intl.ListFormat(language).format(inUse))
              : words.chooseNext(name)}
          </Text>
        ) : null}
        <div className={`${classes.fields} ${out ? classes.narrow : classes.two}`}>
          {out ? null : (
            <Stack gap="md">
              <WhyChoice why={why} onChange={setWhy} />
              <Warning danger={old.certificates.length > 0} title={named(old)}>
                {words.holds(old.certificates.length)}
              </Warning>
            </Stack>
          )}
          <Stack gap="md">
            <Successor old={old} value={serial} onChange={setSerial} optional={!out} />
            <TextInput
              label={words.note}
              description={words.noteHint}
              maxLength={120}
              value={note}
              error={attempt.field("reason")}
              onChange={(e) => setNote(e.currentTarget.value)}
            />
          </Stack>
        </div>
        {missing ? (
          <Text size="sm" c="dimmed" ta="end">
            {missing}
          </Text>
        ) : null}
      </Form>
    </div>
  );
}

/** WhyChoice asks what happened, and says what follows from it. */
function WhyChoice({ why, onChange }: { why: Why | undefined; onChange: (why: Why) => void }) {
  const words = useText().replace;
  return (
    <Radio.Group label={words.why} value={why ?? null} onChange={(value) => onChange(value as Why)}>
      <div className={classes.whys}>
        {whys.map((one) => (
          <Radio.Card key={one} value={one} className={classes.why} aria-label={words.whys[one].name}>
            <div className={classes.whyGrid}>
              <div>
                <Text size="sm" fw={600}>
                  {words.whys[one].name}
                </Text>
                <Text size="xs" c="dimmed">
                  {words.whys[one].text}
                </Text>
              </div>
              <Radio.Indicator />
            </div>
          </Radio.Card>
        ))}
      </div>
    </Radio.Group>
  );
}
