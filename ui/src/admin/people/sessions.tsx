import { Button, Group, Stack, Text } from "@mantine/core";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ask, type Schema } from "../../api/client";
import { Loaded, Panel } from "../../parts/page";
import { done, tell } from "../../parts/problem";
import { When } from "../../parts/when";
import { useText } from "../../text";
import { programOf } from "../program";

/** Sessions lists where a person is signed in now, and ends what should not be. */
export function Sessions({ user }: { user: Schema<"User"> }) {
  const words = useText().people.sessions;
  const queries = useQueryClient();
  const queryKey = ["sessions", "user", user.id];
  const sessions = useQuery({
    queryKey,
    queryFn: () => ask(api.GET("/api/auth/sessions", { params: { query: { user_id: user.id, limit: 100 } } })),
  });
  const end = useMutation({
    mutationFn: (id: number) => ask(api.DELETE("/api/auth/sessions/{id}", { params: { path: { id } } })),
    onSuccess: () => done(words.ended),
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: ["sessions"] }),
  });
  return (
    <Panel title={words.title}>
      <Loaded query={sessions} height={64}>
        {({ items }) => {
          const live = items.filter((s) => s.active);
          if (live.length === 0) {
            return (
              <Text size="sm" c="dimmed">
                {words.none}
              </Text>
            );
          }
          return (
            <Stack gap="sm">
              {live.map((s) => {
                const where = s.hostname || programOf(s.user_agent) || words.unknownBrowser;
                return (
                  <Group key={s.id} justify="space-between" wrap="nowrap">
                    <div style={{ minWidth: 0 }}>
                      <Text size="sm" fw={500}>
                        {where}
                        {s.current ? (
                          <Text span size="xs" c="dimmed">
                            {" "}
                            ({words.current})
                          </Text>
                        ) : null}
                      </Text>
                      <Text size="xs" c="dimmed" className="numbers">
                        <span className="mono">{s.ip_address}</span> · {words.since} <When at={s.created_at} />
                        {s.agent_registered ? ` · ${words.agent}` : ""}
                      </Text>
                    </div>
                    {s.current ? null : (
                      <Button
                        size="xs"
                        variant="default"
                        style={{ flex: "none" }}
                        aria-label={words.endOf(where)}
                        loading={end.isPending && end.variables === s.id}
                        onClick={() => end.mutate(s.id)}
                      >
                        {words.end}
                      </Button>
                    )}
                  </Group>
                );
              })}
            </Stack>
          );
        }}
      </Loaded>
    </Panel>
  );
}
