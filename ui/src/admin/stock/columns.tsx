import { Text } from "@mantine/core";
import type { Schema } from "../../api/client";
import { TextLink } from "../../parts/link";
import type { Column } from "../../parts/list";
import { TokenStatus } from "../../parts/status";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { type Selection, selectColumn } from "../selection";

type Token = Schema<"HWKey">;

/** useColumns is the table of tokens; page is what stands on the present page. */
export function useColumns(page: readonly Token[], selection: Selection<Token>): Column<Token>[] {
  const t = useText();
  const words = t.stock;
  const manyOrganizations = useMay()("create-organization");
  return [
    selectColumn(page, selection, words.select, (token) => token.serial),
    {
      id: "token",
      header: words.columns.token,
      cell: (token) => (
        <>
          <TextLink to="/tokens/$serial" params={{ serial: token.serial }} fw={600} className="mono numbers">
            {token.serial}
          </TextLink>
          <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {token.label}
          </Text>
          {token.owner ? (
            <Text size="xs" c="dimmed" hiddenFrom="sm">
              {token.owner.username}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: "model",
      header: words.columns.model,
      from: "md",
      cell: (token) => (
        <>
          <Text size="sm">{token.model}</Text>
          {token.firmware_version ? (
            <Text size="xs" c="dimmed" className="numbers">
              {words.firmware(token.firmware_version)}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: "status",
      header: words.columns.status,
      cell: (token) => (
        <>
          <TokenStatus value={token.status} />
          {token.secrets.rotation_pending ? (
            <Text size="xs" c="dimmed">
              {words.rotationPending}
            </Text>
          ) : null}
        </>
      ),
    },
    {
      id: "owner",
      header: words.columns.owner,
      from: "sm",
      cell: (token) =>
        token.owner ? (
          <TextLink to="/admin/people" search={{ person: token.owner.id }} size="sm">
            {token.owner.username}
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
            from: "lg" as const,
            cell: (token: Token) => token.organization_name,
          },
        ]
      : []),
    {
      id: "lastSeen",
      header: words.columns.lastSeen,
      from: "lg",
      cell: (token) => <When at={token.last_seen_at} fallback={words.neverSeen} />,
    },
  ];
}
