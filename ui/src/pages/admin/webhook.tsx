import { Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { ActionName } from "../../admin/audit/action";
import { Deliveries, statuses } from "../../admin/webhooks/deliveries";
import { receiver } from "../../admin/webhooks/filter";
import { Manage } from "../../admin/webhooks/manage";
import { Organization, type Webhook, WebhookState } from "../../admin/webhooks/table";
import { Verify } from "../../admin/webhooks/verify";
import { api, ask } from "../../api/client";
import { isProblem } from "../../api/problem";
import { Back } from "../../parts/back";
import { Copyable } from "../../parts/copy";
import { useAssumed } from "../../parts/origin";
import { Loaded, Missing, Page, Panel } from "../../parts/page";
import { When } from "../../parts/when";
import { Facts } from "../../system/facts";
import { useText } from "../../text";

/** WebhookPage shows one receiver: its settings, and what was sent to it. */
export function WebhookPage() {
  const words = useText().webhooks;
  const params: { id?: string } = useParams({ strict: false });
  const search: { status?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const id = Number(params.id);
  const query = useQuery({
    queryKey: ["webhooks", id, "one"],
    queryFn: () => ask(api.GET("/api/admin/webhooks/{id}", { params: { path: { id } } })),
  });
  useAssumed("/admin/webhooks");
  if (isProblem(query.error, "not_found"))
    return <Missing title={words.missing} text={words.missingText} back={<Back />} />;
  return (
    <Page
      title={query.data ? receiver(query.data.url).host : words.title}
      crumb={<Back />}
      actions={query.data ? <Manage webhook={query.data} /> : null}
    >
      <Loaded query={query} height={240}>
        {(webhook) => (
          <>
            <Details webhook={webhook} />
            <Deliveries
              id={id}
              status={statuses.find((s) => s === search.status)}
              onStatus={(status) =>
                void navigate({
                  to: "/admin/webhooks/$id",
                  params: { id: String(id) },
                  search: status ? { status } : {},
                  replace: true,
                })
              }
            />
            <Panel title={words.verify.title}>
              <Verify />
            </Panel>
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Details({ webhook: w }: { webhook: Webhook }) {
  const { details: words, form } = useText().webhooks;
  const items: [string, ReactNode][] = [[form.url, <Copyable key="u" value={w.url} label={form.url} />]];
  if (w.description) items.push([words.description, w.description]);
  items.push(
    [words.events, <Events key="e" actions={w.actions} />],
    [words.organization, <Organization key="o" id={w.organization_id} />],
    [words.created, <When key="c" at={w.created_at} as="both" />],
  );
  if (w.updated_at !== w.created_at) items.push([words.updated, <When key="m" at={w.updated_at} as="both" />]);
  if (w.created_by) {
    items.push([
      words.by,
      <Stack key="b" gap={0}>
        <span>{w.created_by.username}</span>
        <Text size="xs" c="dimmed">
          {words.creatorHint}
        </Text>
      </Stack>,
    ]);
  }
  return (
    <Panel title={words.title} aside={<WebhookState active={w.is_active} />}>
      <Facts items={items} />
    </Panel>
  );
}

function Events({ actions }: { actions: string[] }) {
  const t = useText();
  if (actions.length === 0) return t.webhooks.allEvents;
  return (
    <Stack gap={2}>
      {actions.map((a) => (
        <div key={a}>
          <ActionName action={a} />
        </div>
      ))}
    </Stack>
  );
}
