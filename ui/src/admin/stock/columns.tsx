import { Group, Text, Tooltip } from "@mantine/core";
import { IconRefreshAlert } from "@tabler/icons-react";
import { useMemo } from "react";
import type { Schema } from "../../api/client";
import type { Field } from "../../parts/csv";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import type { Column } from "../../parts/list";
import { called, identified } from "../../parts/person";
import { TokenStatus } from "../../parts/status";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { type Catalogue, useText } from "../../text";
import { type Selection, useSelectColumn } from "../selection";

type Token = Schema<"HWKey">;

/** What of a token stands in a file. An import takes the first four. */
export const fields: readonly Field<Token>[] = [
  ["serial", (token) => token.serial],
  ["label", (token) => token.label],
  ["owner", (token) => token.owner?.username],
  ["organization", (token) => token.organization_name],
  ["status", (token) => token.status],
  ["model", (token) => token.model],
  ["firmware_version", (token) => token.firmware_version],
  ["form_factor", (token) => token.form_factor],
  ["registered_at", (token) => token.registered_at],
  ["enrolled_at", (token) => token.enrolled_at],
  ["last_seen_at", (token) => token.last_seen_at],
  ["secrets_changed_at", (token) => token.secrets.changed_at],
  ["rotation_pending", (token) => token.secrets.rotation_pending],
  ["owner_name", (token) => token.owner?.name],
];

export const serialOf = (token: Token) => token.serial;

/** useColumns is the table of tokens; page is what stands on the present page. */
export function useColumns(page: readonly Token[], selection: Selection<Token>): Column<Token>[] {
  const { stock: words } = useText();
  const manyOrganizations = useMay()("create-organization");
  const select = useSelectColumn(page, selection, words.select, serialOf);
  const columns = useMemo(() => columnsOf(words, manyOrganizations), [words, manyOrganizations]);
  return [...select, ...columns];
}

function columnsOf(words: Catalogue["stock"], manyOrganizations: boolean): Column<Token>[] {
  return [
    {
      id: "token",
      header: words.columns.token,
      sort: "serial",
      width: { sm: 108, xl: 132 },
      cell: (token) => (
        <>
          <TextLink to="/tokens/$serial" params={{ serial: token.serial }} fw={600} className="mono numbers">
            {token.serial}
          </TextLink>
          <Text size="xs" c="dimmed" hiddenFrom="sm" lineClamp={2} style={{ overflowWrap: "anywhere" }}>
            <Free>{token.label}</Free>
          </Text>
          {token.owner ? (
            <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
              <Free>{called(token.owner)}</Free>
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: "label",
      header: words.columns.label,
      sort: "label",
      from: "sm",
      cell: (token) => <Free>{token.label}</Free>,
    },
    {
      id: "model",
      header: words.columns.model,
      from: "md",
      width: { lg: 190, xl: 210 },
      cell: (token) => (
        <>
          {token.model}{" "}
          {token.firmware_version ? (
            <Text span size="xs" c="dimmed" className="numbers">
              {token.firmware_version}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: "status",
      header: words.columns.status,
      sort: "status",
      width: { base: 136, md: 128, xl: 136 },
      cell: (token) => (
        <Group gap={4} wrap="nowrap">
          <TokenStatus value={token.status} />
          {token.secrets.rotation_pending ? <Interrupted label={words.rotationPending} /> : null}
        </Group>
      ),
    },
    {
      id: "owner",
      header: words.columns.owner,
      from: "sm",
      width: { sm: 152, lg: "auto" },
      cell: (token) =>
        token.owner ? (
          <TextLink to="/admin/people/$id" params={{ id: String(token.owner.id) }} size="sm">
            <Free title={identified(token.owner)}>{called(token.owner)}</Free>
          </TextLink>
        ) : (
          <Text size="sm" c="dimmed">
            {words.noOwner}
          </Text>
        ),
    },
    ...(manyOrganizations
      ? [
          {
            id: "organization",
            header: words.columns.organization,
            from: "xl" as const,
            width: 190,
            cell: (token: Token) => <Free>{token.organization_name}</Free>,
          },
        ]
      : []),
    {
      id: "lastSeen",
      header: words.columns.lastSeen,
      from: "lg",
      width: { lg: 120, xl: 134 },
      cell: (token) => <When at={token.last_seen_at} fallback={words.neverSeen} />,
    },
    {
      id: "registered",
      header: words.columns.registered,
      sort: "registered",
      from: "lg",
      optional: true,
      width: 116,
      cell: (token) => <When at={token.registered_at} as="day" />,
    },
  ];
}

/** Interrupted is the sign of a token whose change of secrets is not over. */
function Interrupted({ label }: { label: string }) {
  return (
    <Tooltip label={label}>
      <IconRefreshAlert size={16} role="img" aria-label={label} color="var(--mantine-color-orange-6)" />
    </Tooltip>
  );
}
