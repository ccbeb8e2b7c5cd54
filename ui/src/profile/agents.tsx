import { Button, Text, VisuallyHidden } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { agentState } from "../agent/state";
import { api, ask, type Schema } from "../api/client";
import type { Field } from "../parts/csv";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { done, tell } from "../parts/problem";
import { When } from "../parts/when";
import { useText } from "../text";

type Agent = Schema<"Agent">;

/** What of an agent stands in a file. */
const fields: readonly Field<Agent>[] = [
  ["id", (a) => a.id],
  ["hostname", (a) => a.hostname],
  ["code", (a) => a.code],
  ["fingerprint", (a) => a.fingerprint],
  ["created_at", (a) => a.created_at],
  ["last_used_at", (a) => a.last_used_at],
];

/** Agents lists the agents that the person has paired, and forgets them. */
export function Agents() {
  const t = useText();
  const words = t.profile.agents;
  const queries = useQueryClient();
  const remove = useMutation({
    mutationFn: (id: number) => ask(api.DELETE("/api/auth/agents/{id}", { params: { path: { id } } })),
    onSuccess: () => {
      done(words.done);
      void agentState.check();
    },
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: ["agents"] }),
  });
  const columns: Column<Agent>[] = [
    {
      id: "host",
      header: words.host,
      cell: (a) => (
        <>
          <Text size="sm" fw={500}>
            {a.hostname || words.unknown}
          </Text>
          <Text size="xs" c="dimmed" className="mono">
            {a.code}
          </Text>
        </>
      ),
    },
    { id: "since", header: words.since, from: "sm", cell: (a) => <When at={a.created_at} /> },
    { id: "used", header: words.used, cell: (a) => <When at={a.last_used_at} /> },
    {
      id: "action",
      header: <VisuallyHidden>{words.remove}</VisuallyHidden>,
      right: true,
      cell: (a) => (
        <Button
          size="xs"
          variant="default"
          aria-label={words.removeOf(a.hostname || a.code)}
          loading={remove.isPending && remove.variables === a.id}
          onClick={() => remove.mutate(a.id)}
        >
          {words.remove}
        </Button>
      ),
    },
  ];
  return (
    <Panel title={words.title}>
      <Text size="sm" c="dimmed" mb="xs">
        {words.explain}
      </Text>
      <List
        csv={{ of: "agents", filtered: false, fields }}
        label={words.list}
        queryKey={["agents", "own"]}
        fetch={(cursor, limit) => ask(api.GET("/api/auth/agents", { params: { query: { limit, cursor } } }))}
        columns={columns}
        rowKey={(a) => a.id}
        limit={10}
        empty={words.none}
      />
    </Panel>
  );
}
