import { TextInput } from "@mantine/core";
import type { ReactNode } from "react";
import type { WrongField } from "../../parts/wrong";
import { useMe } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { OrganizationSelect } from "../pick";
import { useTyped } from "../typed";
import classes from "./parameterbar.module.css";
import { bounds, defaults, type Parameters } from "./parameters";

type Props = {
  parameters: Parameters;
  onChange: (change: Partial<Parameters>) => void;
  /** What is wrong with a parameter, if the server refused it. */
  wrong: WrongField;
};

/** ParameterBar is what the report is asked for. */
export function ParameterBar({ parameters: p, onChange, wrong }: Props) {
  const t = useText();
  const me = useMe();
  const words = t.compliance.parameters;
  return (
    <search className={`${classes.bar} no-print`} aria-label={words.label}>
      {me.role === "global_admin" ? (
        <OrganizationSelect
          label={words.organization}
          placeholder={t.compliance.scope.all}
          value={p.organization}
          onChange={(organization) => onChange({ organization })}
        />
      ) : null}
      <Days
        label={words.older}
        value={p.older ?? defaults.older}
        onChange={(older) => onChange({ older })}
        error={wrong("secrets_older_than_days")}
      />
      <Days
        label={words.within}
        value={p.within ?? defaults.within}
        onChange={(within) => onChange({ within })}
        error={wrong("expiring_within_days")}
      />
      <Day label={words.from} value={p.from} onChange={(from) => onChange({ from })} error={wrong("from")} />
      <Day label={words.to} value={p.to} onChange={(to) => onChange({ to })} error={wrong("to")} />
    </search>
  );
}

type DaysProps = { label: string; value: number; onChange: (n: number) => void; error: ReactNode };

function Days({ label, value, onChange, error }: DaysProps) {
  const t = useText();
  const max = new Intl.NumberFormat(useLanguage()).format(bounds.max);
  const [text, setText] = useTyped(String(value), (v) => {
    if (fits(v)) onChange(Number(v));
  });
  return (
    <TextInput
      type="number"
      inputMode="numeric"
      min={bounds.min}
      max={bounds.max}
      step={1}
      label={label}
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
      error={fits(text) ? error : t.compliance.parameters.days(bounds.min, max)}
    />
  );
}

function fits(text: string): boolean {
  return /^\d{1,4}$/.test(text) && Number(text) >= bounds.min && Number(text) <= bounds.max;
}

type DayProps = {
  label: string;
  value: string | undefined;
  onChange: (day: string | undefined) => void;
  error: ReactNode;
};

function Day({ label, value, onChange, error }: DayProps) {
  const [text, setText] = useTyped(value ?? "", (v) => onChange(v || undefined));
  return (
    <TextInput
      type="date"
      min="1971-01-01"
      max="9998-12-31"
      label={label}
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
      error={error}
    />
  );
}
