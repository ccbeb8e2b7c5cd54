import { Button, Stack, Text } from "@mantine/core";
import { IconCircleCheck, IconPlayerPause, IconWebhook } from "@tabler/icons-react";
import { api, ask, type Schema } from "../../api/client";
import type { Field } from "../../parts/csv";
import { TextLink } from "../../parts/link";
import { type Column, List } from "../../parts/list";
import { OrganizationName } from "../../parts/organization";
import { Empty } from "../../parts/page";
import { Status } from "../../parts/status";
import { useMay, useMe } from "../../session/hooks";
import { useText } from "../../text";
import { phrase } from "../audit/actions";
import { receiver } from "./filter";
import { Recent } from "./recent";

export type Webhook = Schema<"Webhook">;

/** What of a webhook stands in a file. */
const fields: readonly Field<Webhook>[] = [
  ["id", (w) => w.id],
  ["url", (w) => w.url],
  ["description", (w) => w.description],
  ["actions", (w) => w.actions],
  ["organization_id", (w) => w.organization_id],
  ["is_active", (w) => w.is_active],
  ["created_by", (w) => w.created_by?.username],
  ["created_at", (w) => w.created_at],
  ["updated_at", (w) => w.updated_at],
];

/** WebhookTable lists the webhooks in the person's reach. */
export function WebhookTable({ onCreate }: { onCreate: () => void }) {
  const t = useText();
  const words = t.webhooks;
  const me = useMe();
  const may = useMay();
  const columns: Column<Webhook>[] = [
    { id: "receiver", header: words.columns.receiver, cell: (w) => <Receiver webhook={w} /> },
    { id: "events", header: words.columns.events, from: "md", width: 220, cell: (w) => <Events actions={w.actions} /> },
  ];
  if (me.role === "global_admin") {
    columns.push({
      id: "organization",
      header: words.columns.organization,
      from: "sm",
      width: 170,
      cell: (w) => <Organization id={w.organization_id} />,
    });
  }
  columns.push(
    {
      id: "state",
      header: words.columns.state,
      from: "xs",
      width: 120,
      cell: (w) => <WebhookState active={w.is_active} />,
    },
    { id: "recent", header: words.columns.recent, width: { sm: 220 }, cell: (w) => <Recent id={w.id} /> },
  );
  return (
    <List
      main
      tall
      name="webhooks"
      csv={{ of: "webhooks", filtered: false, fields }}
      label={words.list}
      queryKey={["webhooks", "list"]}
      fetch={(cursor, limit) => ask(api.GET("/api/admin/webhooks", { params: { query: { cursor, limit } } }))}
      columns={columns}
      rowKey={(w) => w.id}
      empty={
        <Empty
          icon={IconWebhook}
          title={words.empty.title}
          text={words.empty.text}
          action={may("create-webhook") ? <Button onClick={onCreate}>{words.create}</Button> : null}
        />
      }
    />
  );
}

function Receiver({ webhook: w }: { webhook: Webhook }) {
  const { host, path } = receiver(w.url);
  return (
    <Stack gap={0} align="flex-start" style={{ overflowWrap: "anywhere" }}>
      <TextLink to="/admin/webhooks/$id" params={{ id: String(w.id) }} size="sm" fw={600}>
        {host}
      </TextLink>
      <Text size="xs" c="dimmed">
        {w.description || path}
      </Text>
      <Text component="div" hiddenFrom="xs" mt={4}>
        <WebhookState active={w.is_active} />
      </Text>
    </Stack>
  );
}

/** WebhookState shows whether a webhook is told anything. */
export function WebhookState({ active }: { active: boolean }) {
  const words = useText().webhooks.state;
  return active ? (
    <Status color="accent" icon={IconCircleCheck}>
      {words.active}
    </Status>
  ) : (
    <Status color="orange" icon={IconPlayerPause}>
      {words.paused}
    </Status>
  );
}

function Events({ actions }: { actions: string[] }) {
  const t = useText();
  const [first] = actions;
  if (first === undefined) return <>{t.webhooks.allEvents}</>;
  const named = actions.map((a) => phrase(t.audit, a) ?? a);
  return (
    <span title={named.join(", ")}>{actions.length <= 2 ? named.join(", ") : t.webhooks.events(actions.length)}</span>
  );
}

/** Organization says whose events a webhook is told. */
export function Organization({ id }: { id: number | null }) {
  const t = useText();
  return id === null ? t.webhooks.everywhere : <OrganizationName id={id} />;
}
