import { Box, Button, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconBan, IconCircleCheck, IconClockOff, IconHourglassLow } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import { api, ask } from "../../api/client";
import type { Field } from "../../parts/csv";
import { type Column, List } from "../../parts/list";
import { Status } from "../../parts/status";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { KeysEmpty } from "./empty";
import { type Key, type KeyState, keyState } from "./state";

const looks: Record<KeyState, { color: string; icon: ComponentType<{ size?: number; stroke?: number }> }> = {
  active: { color: "accent", icon: IconCircleCheck },
  expiring: { color: "orange", icon: IconHourglassLow },
  expired: { color: "gray", icon: IconClockOff },
  revoked: { color: "red", icon: IconBan },
};

/** What of a key stands in a file. */
const fields: readonly Field<Key>[] = [
  ["id", (key) => key.id],
  ["name", (key) => key.name],
  ["prefix", (key) => key.prefix],
  ["role", (key) => key.role],
  ["scopes", (key) => key.scopes.join(" ")],
  ["organization", (key) => key.organization_name],
  ["created_by", (key) => key.created_by.username],
  ["created_at", (key) => key.created_at],
  ["expires_at", (key) => key.expires_at],
  ["last_used_at", (key) => key.last_used_at],
  ["revoked_at", (key) => key.revoked_at],
];

type Props = { all: boolean; onCreate: () => void; onRevoke: (key: Key) => void };

/** KeyTable lists the keys in the person's reach. */
export function KeyTable({ all, onCreate, onRevoke }: Props) {
  const t = useText();
  const may = useMay();
  const words = t.keys;
  const revoke = (key: Key) =>
    key.revoked_at || !may("revoke-api-key") ? null : (
      <Button
        size="compact-sm"
        variant="subtle"
        color="red"
        aria-label={words.revoke.of(key.name)}
        onClick={() => onRevoke(key)}
      >
        {words.revoke.action}
      </Button>
    );
  const columns: Column<Key>[] = [
    { id: "name", header: words.columns.name, cell: (key) => <Name apiKey={key} /> },
    { id: "reach", header: words.columns.reach, from: "sm", width: 210, cell: (key) => <Reach apiKey={key} /> },
    {
      id: "state",
      header: words.columns.state,
      width: { sm: 190 },
      cell: (key) => <State apiKey={key} action={revoke(key)} />,
    },
    {
      id: "used",
      header: words.columns.used,
      from: "sm",
      width: 150,
      cell: (key) => <When at={key.last_used_at} fallback={words.neverUsed} />,
    },
    { id: "by", header: words.columns.by, from: "md", width: 140, cell: (key) => key.created_by.username },
    {
      id: "actions",
      header: <VisuallyHidden>{words.columns.actions}</VisuallyHidden>,
      right: true,
      from: "sm",
      width: 120,
      cell: revoke,
    },
  ];
  return (
    <List
      main
      tall
      name="api-keys"
      label={words.list}
      expected={2}
      csv={{ of: "api-keys", filtered: !all, fields }}
      queryKey={["api-keys", all]}
      fetch={(cursor, limit) =>
        ask(api.GET("/api/admin/api-keys", { params: { query: { cursor, limit, ...(all ? {} : { active: true }) } } }))
      }
      columns={columns}
      rowKey={(key) => key.id}
      empty={<KeysEmpty all={all} onCreate={onCreate} />}
    />
  );
}

function Name({ apiKey: key }: { apiKey: Key }) {
  return (
    <Stack gap={0}>
      <Text size="sm" fw={600} style={{ overflowWrap: "anywhere" }}>
        {key.name}
      </Text>
      <Text size="xs" c="dimmed" className="mono">
        {key.prefix}…
      </Text>
      <Text size="xs" c="dimmed" hiddenFrom="sm" component="div">
        <Reach apiKey={key} />
      </Text>
    </Stack>
  );
}

function Reach({ apiKey: key }: { apiKey: Key }) {
  const t = useText();
  const where = key.role === "global_admin" ? t.keys.everywhere : key.organization_name || t.keys.noOrganization;
  return (
    <Stack gap={0}>
      <span>{where}</span>
      <Text size="xs" c="dimmed">
        {[t.common.roles[key.role], ...key.scopes.filter((s) => s !== "all").map((s) => t.keys.form.scopes[s])].join(
          " · ",
        )}
      </Text>
    </Stack>
  );
}

/** State says how a key stands; on a narrow screen with what can be done about it. */
function State({ apiKey: key, action }: { apiKey: Key; action: ReactNode }) {
  const t = useText();
  const state = keyState(key);
  const [word, at] = key.revoked_at
    ? [t.keys.revoked, key.revoked_at]
    : [state === "expired" ? t.keys.expired : t.keys.expires, key.expires_at];
  return (
    <Stack gap={2} align="flex-start">
      <Status {...looks[state]}>{t.keys.state[state]}</Status>
      <Text size="xs" c="dimmed" component="div">
        {word} <When at={at} as={key.revoked_at ? "relative" : "day"} />
      </Text>
      <Box hiddenFrom="sm" ml={-8}>
        {action}
      </Box>
    </Stack>
  );
}
