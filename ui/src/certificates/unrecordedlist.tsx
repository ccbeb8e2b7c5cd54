import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { ConfirmDialog } from "../parts/confirm";
import type { Field } from "../parts/csv";
import { type Column, List, pageQuery } from "../parts/list";
import { Panel } from "../parts/page";
import { done, ProblemAlert } from "../parts/problem";
import { When } from "../parts/when";
import { useText } from "../text";
import { canRevoke, fateOf, type Unrecorded } from "./unrecorded";

/** What of an entry of the vault stands in a file. */
const fields: readonly Field<Unrecorded>[] = [
  ["logged_at", (u) => u.logged_at],
  ["hwkey_serial", (u) => u.hwkey_serial],
  ["slot", (u) => u.slot],
  ["serial_number", (u) => u.serial_number],
  ["not_after", (u) => u.not_after],
  ["issued_by", (u) => u.issued_by?.username],
  ["api_key_id", (u) => u.api_key_id],
  ["outcome", (u) => u.outcome],
  ["revoked_at", (u) => u.revoked_at],
  ["revocation_reason", (u) => u.revocation_reason],
  ["csr_sha256", (u) => u.csr_sha256],
  ["public_key_sha256", (u) => u.public_key_sha256],
];

const queryKey = ["certificates", "unrecorded"];
const size = 10;
const page = (cursor: string | undefined, limit: number) =>
  ask(api.GET("/api/certificates/unrecorded", { params: { query: { limit, cursor } } }));

/**
 * UnrecordedList shows what the vault logged before its signature and is not on record;
 * nothing when there is none, and so before that is known.
 */
export function UnrecordedList() {
  const t = useText();
  const words = t.certificates.unrecorded;
  const [chosen, setChosen] = useState<Unrecorded>();
  const query = useQuery(pageQuery(queryKey, page, undefined, size));
  if (query.isError && !query.data) {
    return (
      <Panel title={words.title}>
        <ProblemAlert title={words.untold} error={query.error} onRetry={() => void query.refetch()} />
      </Panel>
    );
  }
  if (!query.data || (query.data.items.length === 0 && !query.isRefetchError)) return null;
  const columns: Column<Unrecorded>[] = [
    { id: "when", header: words.when, from: "sm", cell: (u) => <When at={u.logged_at} /> },
    {
      id: "token",
      header: words.token,
      cell: (u) => (
        <>
          <Text size="sm" className="mono">
            {u.hwkey_serial}
          </Text>
          <Text size="xs" c="dimmed">
            {t.certificates.slots[u.slot]}
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            <When at={u.logged_at} />
          </Text>
        </>
      ),
    },
    { id: "by", header: words.by, from: "sm", cell: (u) => u.issued_by?.username ?? words.key(u.api_key_id ?? 0) },
    {
      id: "serial",
      header: words.serial,
      from: "lg",
      cell: (u) => (
        <Text size="xs" className="mono" style={{ overflowWrap: "anywhere" }}>
          {u.serial_number ?? words.unknown}
        </Text>
      ),
    },
    {
      id: "outcome",
      header: words.outcome,
      cell: (u) => (
        <Text size="sm" fw={canRevoke(u) ? 600 : undefined}>
          {words.fates[fateOf(u)]}
        </Text>
      ),
    },
    {
      id: "action",
      header: <VisuallyHidden>{words.revoke}</VisuallyHidden>,
      right: true,
      cell: (u) =>
        canRevoke(u) ? (
          <Button
            size="compact-sm"
            variant="default"
            aria-label={words.revokeOf(u.hwkey_serial)}
            onClick={() => setChosen(u)}
          >
            {words.revoke}
          </Button>
        ) : null,
    },
  ];
  return (
    <Panel title={words.title}>
      <Text size="sm" c="dimmed" mb="sm">
        {words.about}
      </Text>
      <List
        csv={{ of: "unrecorded", filtered: false, fields }}
        label={words.title}
        queryKey={queryKey}
        fetch={page}
        columns={columns}
        rowKey={(u) => `${u.logged_at} ${u.csr_sha256}`}
        empty={null}
        limit={size}
      />
      <RevokeUnrecorded chosen={chosen} onClose={() => setChosen(undefined)} />
    </Panel>
  );
}

/** RevokeUnrecorded asks once more, and revokes by the serial number. */
function RevokeUnrecorded({ chosen, onClose }: { chosen: Unrecorded | undefined; onClose: () => void }) {
  const t = useText();
  const words = t.certificates.unrecorded;
  const queries = useQueryClient();
  const revoke = async () => {
    if (!chosen?.serial_number) return;
    try {
      await ask(
        api.POST("/api/certificates/revoke", {
          body: { serial_number: chosen.serial_number, reason: "cessationOfOperation" },
        }),
      );
      done(t.certificates.revoke.done);
    } catch (error) {
      if (!isProblem(error, "conflict")) throw error; // somebody was quicker
      done(t.certificates.revoke.already);
    } finally {
      void queries.invalidateQueries({ queryKey: ["certificates"] });
    }
  };
  return (
    <ConfirmDialog
      opened={chosen !== undefined}
      onClose={onClose}
      onConfirm={revoke}
      title={words.ask(chosen?.hwkey_serial ?? "")}
      action={t.certificates.revoke.action}
      danger
    >
      <Text size="sm">{words.consequence}</Text>
    </ConfirmDialog>
  );
}
