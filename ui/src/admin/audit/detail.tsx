import { ActionIcon, Text, Tooltip } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Schema } from "../../api/client";
import { Copyable } from "../../parts/copy";
import { useOrganization } from "../../parts/organization";
import { exact, relative } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { bytes } from "../../system/measure";
import { useLanguage, useText } from "../../text";
import { ActionName } from "./action";
import { actorName, targetType } from "./actions";
import classes from "./detail.module.css";
import type { Filters } from "./filters";
import { Outcome } from "./outcome";

/** Entry is one line of the log, as the server gives it. */
export type Entry = Schema<"AuditEntry">;

type Props = { entry: Entry; onOnly: (change: Partial<Filters>) => void };

/** EntryDetail shows every field of an entry that is not empty. */
export function EntryDetail({ entry: e, onOnly }: Props) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const { fields, only } = t.audit;
  return (
    <dl className={classes.fields}>
      <Field name={fields.id}>
        <span className="numbers">{number.format(e.id)}</span>
      </Field>
      <Field name={fields.at}>
        <time dateTime={e.at} className="numbers">
          {exact(e.at, language)}
        </time>{" "}
        <Text span c="dimmed" size="sm">
          ({relative(e.at, language)} · <span className="mono">{e.at}</span>)
        </Text>
      </Field>
      <Field name={fields.action}>
        <ActionName action={e.action} />
        <Only label={only.action} onClick={() => onOnly({ action: e.action })} />
      </Field>
      <Field name={fields.outcome}>
        <Outcome value={e.outcome} />
      </Field>
      <Field name={fields.reason}>{e.reason}</Field>
      <Field name={fields.details}>{e.details}</Field>
      <Field name={fields.actor}>
        {actorName(t.audit, e.actor)}
        {e.actor_id === null ? null : <Id id={e.actor_id} />}
        <Only label={only.actor} onClick={() => onOnly({ actor: e.actor })} />
      </Field>
      <Field name={fields.target}>
        {e.target_type || e.target_id ? (
          <>
            {targetType(t.audit, e.target_type)} <Target entry={e} />
            {e.target_id ? <Only label={only.target} onClick={() => onOnly({ target: e.target_id })} /> : null}
          </>
        ) : null}
      </Field>
      <Field name={fields.organization}>
        {e.organization_id === null ? null : <OrganizationName id={e.organization_id} />}
      </Field>
      <Field name={fields.ip_address}>{e.ip_address ? <span className="mono">{e.ip_address}</span> : null}</Field>
      <Field name={fields.hostname}>{e.hostname}</Field>
      <Field name={fields.request_id}>
        {e.request_id ? <Copyable value={e.request_id} label={fields.request_id} /> : null}
      </Field>
      <Field name={fields.file_name}>{e.file_name ? <span className="mono">{e.file_name}</span> : null}</Field>
      <Field name={fields.backup_type}>{e.backup_type}</Field>
      <Field name={fields.duration_ms}>
        {e.duration_ms === null ? null : t.audit.ms(number.format(e.duration_ms))}
      </Field>
      <Field name={fields.size_bytes}>{e.size_bytes === null ? null : bytes(e.size_bytes, language)}</Field>
    </dl>
  );
}

function Field({ name, children }: { name: string; children: ReactNode }) {
  if (children === null || children === "") return null;
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

function Id({ id }: { id: number }) {
  return (
    <Text span c="dimmed" size="sm" className="numbers" ml={6}>
      #{id}
    </Text>
  );
}

function Only({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Tooltip label={label}>
      <ActionIcon variant="subtle" color="gray" size="sm" ml={4} aria-label={label} onClick={onClick}>
        <IconFilter size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}

/** Target leads to what the entry is about, where there is a page for it. */
function Target({ entry: { target_type, target_id } }: { entry: Entry }) {
  const id = <span className="mono">{target_id}</span>;
  if (!target_id) return null;
  if (target_type === "hwkey") {
    return (
      <Link to="/tokens/$serial" params={{ serial: target_id }} className={classes.link}>
        {id}
      </Link>
    );
  }
  if (target_type === "certificate") {
    return (
      <Link to="/certificates/$serial" params={{ serial: target_id }} className={classes.link}>
        {id}
      </Link>
    );
  }
  if (target_type === "ca") {
    return (
      <Link to="/admin/cas" className={classes.link}>
        {id}
      </Link>
    );
  }
  return id;
}

function OrganizationName({ id }: { id: number }) {
  const may = useMay()("get-organization");
  const name = useOrganization(may ? id : null).data?.name;
  return (
    <>
      {name}
      <Id id={id} />
    </>
  );
}
