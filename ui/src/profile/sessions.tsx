import { Button, Group, Text, VisuallyHidden } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { programOf } from "../admin/program";
import { api, ask, type Schema } from "../api/client";
import { Copyable } from "../parts/copy";
import type { Field } from "../parts/csv";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { done, tell } from "../parts/problem";
import { When } from "../parts/when";
import { useText } from "../text";

type Session = Schema<"ListedSession">;

/** What of a session stands in a file. */
const fields: readonly Field<Session>[] = [
  ["id", (s) => s.id],
  ["created_at", (s) => s.created_at],
  ["expires_at", (s) => s.expires_at],
  ["active", (s) => s.active],
  ["current", (s) => s.current],
  ["ip_address", (s) => s.ip_address],
  ["hostname", (s) => s.hostname],
  ["user_agent", (s) => s.user_agent],
  ["agent_key_fingerprint", (s) => s.agent_key_fingerprint],
];

/** Sessions lists where one is signed in, the present one marked, and ends the others. */
export function Sessions() {
  const t = useText();
  const words = t.profile.sessions;
  const queries = useQueryClient();
  const end = useMutation({
    mutationFn: (id: number) => ask(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => done(words.done),
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  const columns: Column<Session>[] = [
    { id: "where", header: words.where, cell: (s) => <Where session={s} /> },
    { id: "since", header: words.since, from: "sm", cell: (s) => <When at={s.created_at} /> },
    {
      id: "ends",
      header: words.ends,
      from: "md",
      cell: (s) => (s.active ? <When at={s.expires_at} /> : words.ended),
    },
    { id: "agent", header: words.agent, from: "md", cell: (s) => <AgentKey session={s} /> },
    {
      id: "action",
      header: <VisuallyHidden>{words.end}</VisuallyHidden>,
      right: true,
      cell: (s) =>
        s.current ? (
          <Text size="sm" fw={600} c="var(--mantine-color-accent-text)">
            {words.current}
          </Text>
        ) : s.active ? (
          <Button
            size="xs"
            variant="default"
            aria-label={words.endOf(nameOf(s, words.unknown))}
            loading={end.isPending && end.variables === s.id}
            onClick={() => end.mutate(s.id)}
          >
            {words.end}
          </Button>
        ) : (
          <Text size="sm" c="dimmed">
            {words.ended}
          </Text>
        ),
    },
  ];
  return (
    <Panel title={words.title}>
      <Text size="sm" c="dimmed" mb="xs">
        {words.explain}
      </Text>
      <List
        csv={{ of: "sessions", filtered: false, fields }}
        label={words.list}
        queryKey={["sessions", "own"]}
        fetch={(cursor, limit) => ask(api.GET("/api/auth/sessions", { params: { query: { limit, cursor } } }))}
        columns={columns}
        rowKey={(s) => s.id}
        limit={10}
        empty={null}
      />
    </Panel>
  );
}

function nameOf(s: Session, unknown: string): string {
  return [programOf(s.user_agent) || unknown, s.hostname].filter(Boolean).join(" · ");
}

function Where({ session: s }: { session: Session }) {
  const words = useText().profile.sessions;
  return (
    <>
      <Text size="sm" fw={500}>
        {nameOf(s, words.unknown)}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <span className="mono">{s.ip_address}</span>
        <Text span inherit hiddenFrom="sm">
          {" "}
          · <When at={s.created_at} />
        </Text>
        {s.agent_key_fingerprint ? (
          <Group gap={4} hiddenFrom="md">
            {words.agent} <AgentKey session={s} />
          </Group>
        ) : null}
      </Text>
    </>
  );
}

/** AgentKey shows the first of the fingerprint that the agent prints, and copies all of it. */
function AgentKey({ session: s }: { session: Session }) {
  const words = useText().profile.sessions;
  if (!s.agent_key_fingerprint) {
    return (
      <Text span size="sm" c="dimmed">
        {words.noAgent}
      </Text>
    );
  }
  return (
    <Copyable value={s.agent_key_fingerprint} label={words.fingerprint}>
      <span className="mono">{s.agent_key_fingerprint.slice(0, 16).match(/.{4}/g)?.join(" ")}…</span>
    </Copyable>
  );
}
