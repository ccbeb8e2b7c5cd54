import { ActionIcon, Button, CopyButton, Text, Tooltip } from "@mantine/core";
import { IconFilter } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Copyable } from "../../parts/copy";
import { useOrganization } from "../../parts/organization";
import { exact, relative } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { bytes } from "../../system/measure";
import { useLanguage, useText } from "../../text";
import { reasonOf } from "../../token/reason";
import { ActionName } from "./action";
import classes from "./detail.module.css";
import type { Filters } from "./filters";
import type { Entry } from "./fold";
import { Actor, Target } from "./named";
import { Outcome } from "./outcome";
import { Proof } from "./proof";
import { said } from "./said";

type Props = { entry: Entry; onOnly: (change: Partial<Filters>) => void };

/** EntryDetail shows every field of an entry that is not empty. */
export function EntryDetail({ entry: e, onOnly }: Props) {
  const t = useText();
  const language = useLanguage();
  const number = new Intl.NumberFormat(language);
  const may = useMay();
  const { fields, only } = t.audit;
  return (
    <>
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
        <Field name={fields.reason}>{reasonOf(e, t.certificates.revoke.reasons)}</Field>
        <Field name={fields.details}>{e.details ? <Details entry={e} /> : null}</Field>
        <Field name={fields.actor}>
          <Actor entry={e} />
          {e.actor_name && e.actor_name !== e.actor ? (
            <Text span c="dimmed" size="sm" ml={6}>
              {e.actor}
            </Text>
          ) : null}
          {e.actor_id === null ? null : <Id id={e.actor_id} />}
          <Only label={only.actor} onClick={() => onOnly({ actor: e.actor })} />
        </Field>
        <Field name={fields.target}>
          {e.target_type || e.target_id ? (
            <>
              <Target entry={e} whole />
              {e.target_name ? (
                <Text span c="dimmed" size="sm" className="numbers" ml={6}>
                  #{e.target_id}
                </Text>
              ) : null}
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
        <Field name={fields.backup_type}>
          {e.backup_type in t.backups.types
            ? t.backups.types[e.backup_type as keyof typeof t.backups.types]
            : e.backup_type}
        </Field>
        <Field name={fields.duration_ms}>
          {e.duration_ms === null ? null : t.audit.ms(number.format(e.duration_ms))}
        </Field>
        <Field name={fields.size_bytes}>{e.size_bytes === null ? null : bytes(e.size_bytes, language)}</Field>
        {may("audit-seal") ? <Proof entry={e} /> : null}
      </dl>
      <CopyButton value={JSON.stringify(e, null, 2)}>
        {({ copied, copy }) => (
          <Button size="compact-sm" variant="subtle" color="gray" onClick={copy}>
            {copied ? t.common.actions.copied : t.audit.proof.copy}
          </Button>
        )}
      </CopyButton>
    </>
  );
}

/** Details are what the server wrote, with names and in the reader's language where those are known. */
function Details({ entry }: { entry: Entry }) {
  const t = useText();
  return (
    <ul className={classes.said}>
      {said(entry, t).map(({ name, value, raw }, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an entry never changes, and may say a thing twice
        <li key={i} lang={raw ? "en" : undefined}>
          {name ? (
            <Text span inherit c="dimmed">
              {name}:{" "}
            </Text>
          ) : null}
          {value}
        </li>
      ))}
    </ul>
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
