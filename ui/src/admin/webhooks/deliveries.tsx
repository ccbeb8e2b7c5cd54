import { Button, Group, SegmentedControl, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconMailbox, IconRefresh, IconSend } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { api, ask, type Schema } from "../../api/client";
import type { Field } from "../../parts/csv";
import { type Column, List } from "../../parts/list";
import { Empty, Panel } from "../../parts/page";
import { done, tell } from "../../parts/problem";
import { Status } from "../../parts/status";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { ActionName } from "../audit/action";
import { phrase } from "../audit/actions";
import { standing } from "./standing";

type Delivery = Schema<"WebhookDelivery">;
/** The statuses that the list can be narrowed to. */
export const statuses = ["pending", "delivered", "failed"] as const;
type DeliveryStatus = (typeof statuses)[number];

const looks = {
  pending: { color: "blue", icon: IconSend },
  retrying: { color: "orange", icon: IconRefresh },
  delivered: { color: "accent", icon: IconCircleCheck },
  failed: { color: "red", icon: IconCircleX },
};

/** What of a delivery stands in a file. */
const fields: readonly Field<Delivery>[] = [
  ["id", (d) => d.id],
  ["message_id", (d) => d.message_id],
  ["action", (d) => d.action],
  ["audit_id", (d) => d.audit_id],
  ["status", (d) => d.status],
  ["attempts", (d) => d.attempts],
  ["last_status_code", (d) => d.last_status_code],
  ["last_error", (d) => d.last_error],
  ["created_at", (d) => d.created_at],
  ["delivered_at", (d) => d.delivered_at],
  ["next_attempt_at", (d) => d.next_attempt_at],
];

type Props = { id: number; status: DeliveryStatus | undefined; onStatus: (s: DeliveryStatus | undefined) => void };

/** Deliveries lists what was sent to a receiver, and how it went. */
export function Deliveries({ id, status, onStatus }: Props) {
  const t = useText();
  const words = t.webhooks.deliveries;
  const may = useMay();
  const queries = useQueryClient();
  const replay = useMutation({
    mutationFn: (delivery: number) =>
      ask(api.POST("/api/admin/webhooks/deliveries/{id}/replay", { params: { path: { id: delivery } } })),
    onSuccess: () => done(words.replayed),
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: ["webhooks", id] }),
  });

  const mayReplay = may("replay-webhook-delivery");
  const again = (d: Delivery) =>
    mayReplay ? (
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={words.replayOf(phrase(t.audit, d.action) ?? d.action)}
        loading={replay.isPending && replay.variables === d.id}
        onClick={() => replay.mutate(d.id)}
      >
        {words.replay}
      </Button>
    ) : null;
  const columns: Column<Delivery>[] = [
    { id: "event", header: words.columns.event, cell: (d) => <Event delivery={d} action={again(d)} /> },
    { id: "status", header: words.columns.status, from: "sm", width: 156, cell: (d) => <DeliveryState delivery={d} /> },
    { id: "answer", header: words.columns.answer, from: "sm", cell: (d) => <Answer delivery={d} /> },
    { id: "at", header: words.columns.at, from: "md", width: 180, cell: (d) => <When at={d.created_at} as="exact" /> },
  ];
  if (mayReplay) {
    const header = <VisuallyHidden>{words.columns.actions}</VisuallyHidden>;
    columns.push({ id: "actions", header, right: true, from: "sm", width: 110, cell: again });
  }
  return (
    <Panel
      title={words.title}
      aside={
        <Text size="xs" c="dimmed">
          {words.kept}
        </Text>
      }
    >
      <Group mb="sm">
        <SegmentedControl
          aria-label={words.filter}
          size="xs"
          value={status ?? "all"}
          onChange={(v) => onStatus(statuses.find((s) => s === v))}
          data={[{ value: "all", label: t.common.all }, ...statuses.map((s) => ({ value: s, label: words.status[s] }))]}
        />
      </Group>
      <List
        main
        tall
        name="deliveries"
        csv={{ of: "deliveries", filtered: status !== undefined, fields }}
        label={words.title}
        queryKey={["webhooks", id, "deliveries", status ?? ""]}
        fetch={(cursor, limit) =>
          ask(
            api.GET("/api/admin/webhooks/{id}/deliveries", {
              params: { path: { id }, query: { cursor, limit, status } },
            }),
          )
        }
        columns={columns}
        rowKey={(d) => d.id}
        refetchInterval={(rows) => rows.some((d) => d.status === "pending") && 5000}
        empty={
          <Empty
            icon={IconMailbox}
            title={status ? words.emptyFiltered : words.empty}
            text={status ? words.emptyFilteredText : words.emptyText}
          />
        }
      />
    </Panel>
  );
}

function DeliveryState({ delivery }: { delivery: Delivery }) {
  const words = useText().webhooks.deliveries.status;
  const status = standing(delivery);
  return <Status {...looks[status]}>{words[status]}</Status>;
}

/** Event says what happened; on a narrow screen with all that the other columns hold. */
function Event({ delivery: d, action }: { delivery: Delivery; action: ReactNode }) {
  return (
    <Stack gap={2}>
      <Text size="sm" component="div">
        <ActionName action={d.action} />
      </Text>
      <Text size="xs" c="dimmed" className="mono" visibleFrom="md">
        {d.message_id}
      </Text>
      <Text size="xs" c="dimmed" component="div" hiddenFrom="md">
        <When at={d.created_at} />
      </Text>
      <Stack gap={4} hiddenFrom="sm">
        <Group justify="space-between" gap="xs">
          <DeliveryState delivery={d} />
          {action}
        </Group>
        <Answer delivery={d} />
      </Stack>
    </Stack>
  );
}

function Answer({ delivery: d }: { delivery: Delivery }) {
  const words = useText().webhooks.deliveries;
  const known: Record<string, string> = words.errors;
  const parts = [
    d.last_status_code === null ? null : words.code(d.last_status_code),
    d.last_error ? (known[d.last_error] ?? d.last_error) : null,
  ].filter((x) => x !== null);
  return (
    <Stack gap={0}>
      <Text size="sm">{parts.join(": ") || (d.attempts === 0 ? words.waiting : "–")}</Text>
      <Text size="xs" c="dimmed" className="numbers" component="div">
        {words.attempts(d.attempts)}
        {d.delivered_at ? (
          <>
            , {words.delivered} <When at={d.delivered_at} />
          </>
        ) : null}
        {d.status === "pending" && d.next_attempt_at ? (
          <>
            , {words.next} {new Date(d.next_attempt_at) > new Date() ? <When at={d.next_attempt_at} /> : words.due}
          </>
        ) : null}
      </Text>
    </Stack>
  );
}
