import { Checkbox, List, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import { called, identified } from "../../parts/person";
import { done, ProblemAlert, warn } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { day } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { programOf } from "../program";
import { changed } from "../queries";
import { type Holds, holdsQuery } from "./holds";

/** useHolds is what would end when the person leaves. */
export function useHolds(id: number, enabled: boolean) {
  return useQuery({ ...holdsQuery(id, useMay()("list-api-keys")), enabled });
}

type Props = { user: Schema<"User">; opened: boolean; onClose: () => void };

/**
 * LeaveDialog disables an account, and in the same step suspends its tokens and revokes its certificates, as chosen.
 * For one that is disabled already it does what is left. It shows first what ends.
 */
export function LeaveDialog({ user, opened, onClose }: Props) {
  const t = useText();
  const words = t.people.leave;
  const queries = useQueryClient();
  const holds = useHolds(user.id, opened);
  const [suspend, setSuspend] = useState(true);
  const [revoke, setRevoke] = useState(false);
  // Revoking is never what was meant the last time.
  useEffect(() => {
    if (opened) setRevoke(false);
    if (opened) setSuspend(true);
  }, [opened]);
  const tokens = holds.data?.tokens.length ?? 0;
  const certificates = holds.data?.certificates.length ?? 0;
  const suspends = suspend && tokens > 0;
  const revokes = revoke && certificates > 0;

  const confirm = async () => {
    const answer = await ask(
      api.PATCH("/api/admin/users/{id}", {
        params: { path: { id: user.id } },
        body: {
          is_active: false,
          ...(suspends ? { suspend_tokens: true } : {}),
          ...(revokes ? { revoke_certificates: true } : {}),
        },
      }),
    );
    done(words.done(called(user), answer.tokens_suspended, answer.certificates_revoked));
    if (answer.certificates_unpublished > 0) warn(words.unpublished(answer.certificates_unpublished));
    void changed(queries);
  };
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={confirm}
      title={user.is_active ? words.title(identified(user)) : words.laterTitle(identified(user))}
      action={
        user.is_active
          ? words.action
          : suspends === revokes
            ? words.both
            : suspends
              ? words.suspendOnly
              : words.revokeOnly
      }
      danger
      disabled={!holds.isSuccess || (!user.is_active && !suspends && !revokes)}
    >
      {user.is_active ? <Text size="sm">{words.text}</Text> : null}
      {holds.isPending ? (
        <Skeleton height={140} role="status" aria-label={t.common.loading} />
      ) : holds.isError ? (
        <ProblemAlert error={holds.error} onRetry={() => void holds.refetch()} />
      ) : (
        <Stack gap="md">
          {user.is_active ? <Ends holds={holds.data} /> : null}
          {tokens > 0 ? (
            <Choice label={words.suspend(tokens)} text={words.suspendText} checked={suspend} onChange={setSuspend}>
              {holds.data.tokens.map((token) => (
                <List.Item key={token.serial}>
                  <span className="mono">{token.serial}</span>
                  {token.label ? ` · ${token.label}` : ""}
                </List.Item>
              ))}
            </Choice>
          ) : null}
          {certificates > 0 ? (
            <Choice label={words.revoke(certificates)} text={words.revokeText} checked={revoke} onChange={setRevoke}>
              <Certificates list={holds.data.certificates} />
            </Choice>
          ) : null}
          {tokens === 0 && certificates === 0 ? (
            <Text size="sm" c="dimmed">
              {words.nothing}
            </Text>
          ) : null}
        </Stack>
      )}
    </ConfirmDialog>
  );
}

/** Ends says what ends with the account, whatever is chosen. */
function Ends({ holds: { sessions, keys } }: { holds: Holds }) {
  const t = useText();
  const words = t.people.leave;
  const where = sessions.map((s) => s.hostname || programOf(s.user_agent) || t.people.sessions.unknownBrowser);
  return (
    <Stack gap={4}>
      <Text size="sm">
        {words.sessions(sessions.length)}
        {where.length > 0 ? <Named names={[...new Set(where)]} /> : null}
      </Text>
      {keys.length > 0 ? (
        <Warning>
          {words.keys(keys.length)}
          <Named names={keys.map((key) => key.name)} />
        </Warning>
      ) : null}
    </Stack>
  );
}

function Named({ names }: { names: string[] }) {
  return (
    <Text span inherit c="dimmed" style={{ overflowWrap: "anywhere" }}>
      {" "}
      ({names.join(", ")})
    </Text>
  );
}

function Certificates({ list }: { list: Schema<"Certificate">[] }) {
  const t = useText();
  const language = useLanguage();
  return list.map((c) => (
    <List.Item key={c.serial_number}>
      {t.tokens.slots[c.slot]}, <span className="mono">{c.hwkey_serial}</span>
      {" · "}
      <span className="numbers">{t.people.leave.expires(day(c.not_after, language))}</span>
    </List.Item>
  ));
}

type ChoiceProps = {
  label: string;
  text: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
  children: ReactNode;
};

/** Choice is something that may end, too, with what that is about. */
function Choice({ label, text, checked, onChange, children }: ChoiceProps) {
  return (
    <div>
      <Checkbox
        label={label}
        description={text}
        checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <List size="sm" c="dimmed" listStyleType="none" ml={30} mt={6} mah={132} style={{ overflowY: "auto" }}>
        {children}
      </List>
    </div>
  );
}
