import { ActionIcon, Button, Indicator, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { tell } from "../parts/problem";
import { When } from "../parts/when";
import { useText } from "../text";

/** Notices are what the server wants the person to know. */
export function Notices() {
  const t = useText();
  const queries = useQueryClient();
  const query = useQuery({
    queryKey: ["notices"],
    queryFn: () => ask(api.GET("/api/notices", { params: { query: { unread: true, limit: 20 } } })),
    refetchInterval: 60_000,
  });
  const read = useMutation({
    mutationFn: (id: number) => ask(api.POST("/api/notices/{id}/read", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["notices"] }),
    onError: tell,
  });
  const items = query.data?.items ?? [];
  return (
    <Popover width={340} position="bottom-end" shadow="md" trapFocus>
      <Indicator disabled={items.length === 0} label={items.length} size={16} color="orange.9">
        <Popover.Target>
          <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`${t.common.notices.title}: ${items.length}`}>
            <IconBell size={20} stroke={1.6} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        {items.length === 0 ? (
          <Text size="sm">{t.common.notices.none}</Text>
        ) : (
          <ScrollArea.Autosize mah={360}>
            <Stack gap="sm">
              {items.map((n) => (
                <div key={n.id}>
                  <Text size="sm">{n.message}</Text>
                  <Text size="xs" c="dimmed">
                    <When at={n.created_at} />
                  </Text>
                  <Button size="compact-xs" variant="subtle" onClick={() => read.mutate(n.id)}>
                    {t.common.notices.read}
                  </Button>
                </div>
              ))}
            </Stack>
          </ScrollArea.Autosize>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
