import { Autocomplete, Select, TextInput } from "@mantine/core";
import { useMe } from "../../session/hooks";
import { useText } from "../../text";
import { OrganizationSelect } from "../pick";
import { useTyped } from "../typed";
import { type Filters, fromLocal, outcomes, toLocal } from "./filters";
import { useOffer } from "./offer";

type Props = { filters: Filters; onChange: (change: Partial<Filters>) => void };

/** FilterFields are the controls of the filters that the person's role has a use for. */
export function FilterFields({ filters, onChange }: Props) {
  const t = useText();
  const me = useMe();
  const words = t.audit.filters;
  const [actor, setActor] = useTyped(filters.actor ?? "", (v) => onChange({ actor: v || undefined }));
  const [target, setTarget] = useTyped(filters.target ?? "", (v) => onChange({ target: v || undefined }));
  const empty = filters.from && filters.to && filters.from >= filters.to;
  return (
    <>
      {me.role === "user" ? null : (
        <TextInput
          label={words.actor}
          placeholder={words.actorHint}
          maxLength={254}
          autoCapitalize="none"
          value={actor}
          onChange={(e) => setActor(e.currentTarget.value)}
        />
      )}
      <ActionField value={filters.action ?? ""} onChange={(v) => onChange({ action: v || undefined })} />
      <TextInput
        label={words.target}
        placeholder={words.targetHint}
        maxLength={64}
        autoCapitalize="none"
        value={target}
        onChange={(e) => setTarget(e.currentTarget.value)}
      />
      <Select
        label={words.outcome}
        placeholder={t.common.all}
        data={outcomes.map((o) => ({ value: o, label: t.audit.outcomes[o] }))}
        value={filters.outcome ?? null}
        onChange={(v) => onChange({ outcome: outcomes.find((o) => o === v) })}
        clearable
        clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${words.outcome}` }}
      />
      {me.role === "global_admin" ? (
        <OrganizationSelect
          label={words.organization}
          placeholder={t.common.all}
          value={filters.organization}
          onChange={(organization) => onChange({ organization })}
        />
      ) : null}
      <Moment label={words.from} value={filters.from} onChange={(from) => onChange({ from })} />
      <Moment
        label={words.to}
        value={filters.to}
        onChange={(to) => onChange({ to })}
        error={empty ? words.order : undefined}
      />
    </>
  );
}

/**
 * ActionField offers the groups and actions that are known, found by their
 * words, too; so what is typed counts when it can be the start of an action,
 * and anything else when Enter says so.
 */
function ActionField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const t = useText();
  const [text, setText] = useTyped(value, (v) => {
    if (v === "" || v.includes(".")) onChange(v);
  });
  const offer = useOffer();
  const leave = () => {
    const typed = text.trim();
    if (typed === value) return;
    if (offer.data.some((c) => c.items.some((a) => a.startsWith(typed)))) onChange(typed);
    else setText(value);
  };
  return (
    <Autocomplete
      label={t.audit.filters.action}
      placeholder={t.audit.filters.actionHint}
      maxLength={64}
      autoCapitalize="none"
      value={text}
      onChange={setText}
      onBlur={leave}
      onKeyDown={(e) => {
        if (e.key === "Enter" && text.trim() !== value) onChange(text.trim());
      }}
      {...offer}
      maxDropdownHeight={360}
      clearable
      clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${t.audit.filters.action}` }}
    />
  );
}

type MomentProps = {
  label: string;
  value: string | undefined;
  onChange: (at: string | undefined) => void;
  error?: string | undefined;
};

/** Moment is a date and time in the person's zone, by the browser's own control. */
function Moment({ label, value, onChange, error }: MomentProps) {
  const [text, setText] = useTyped(toLocal(value), (v) => onChange(fromLocal(v)));
  return (
    <TextInput
      type="datetime-local"
      label={label}
      min="1970-01-02T00:00"
      max="9999-12-30T23:59"
      value={text}
      onChange={(e) => setText(e.currentTarget.value)}
      error={error}
    />
  );
}
