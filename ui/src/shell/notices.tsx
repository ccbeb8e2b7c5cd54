import { ActionIcon, Anchor, Button, Group, Indicator, Popover, ScrollArea, Stack, Text } from "@mantine/core";
import { IconBell } from "@tabler/icons-react";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask, type Schema } from "../api/client";
import { tell } from "../parts/problem";
import { every } from "../parts/refetch";
import { When } from "../parts/when";
import { useLanguage, useText } from "../text";
import { noticeIcon } from "./noticelooks";

type Notice = Schema<"Notice">;

/** Notices are what the server wants the person to know, in the language of the page. */
export function Notices() {
  const t = useText();
  const language = useLanguage();
  const queries = useQueryClient();
  const [open, setOpen] = useState(false);
  const query = useQuery({
    queryKey: ["notices", language],
    queryFn: () => ask(api.GET("/api/notices", { params: { query: { unread: true, limit: 20 } } })),
    refetchInterval: every(60_000),
  });
  const read = useMutation({
    mutationFn: (id: number) => ask(api.POST("/api/notices/{id}/read", { params: { path: { id } } })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["notices"] }),
    onError: tell,
  });
  const items = query.data?.items ?? [];
  return (
    <Popover width={340} position="bottom-end" shadow="md" trapFocus opened={open} onChange={setOpen}>
      <Indicator disabled={items.length === 0} label={items.length} size={16} color="orange.9">
        <Popover.Target>
          <ActionIcon
            variant="subtle"
            color="gray"
            size="lg"
            aria-label={`${t.common.notices.title}: ${items.length}`}
            onClick={() => setOpen(!open)}
          >
            <IconBell size={20} stroke={1.6} />
          </ActionIcon>
        </Popover.Target>
      </Indicator>
      <Popover.Dropdown>
        {items.length === 0 ? (
          <Text size="sm">{t.common.notices.none}</Text>
        ) : (
          <ScrollArea.Autosize mah={420}>
            <Stack gap="md">
              {items.map((n) => (
                <Told
                  key={n.id}
                  notice={n}
                  onRead={() => read.mutate(n.id)}
                  onFollow={() => {
                    setOpen(false);
                    read.mutate(n.id);
                  }}
                />
              ))}
            </Stack>
          </ScrollArea.Autosize>
        )}
      </Popover.Dropdown>
    </Popover>
  );
}

type ToldProps = { notice: Notice; onRead: () => void; onFollow: () => void };

/** Told is one notice, with the way to what it is about. */
function Told({ notice: n, onRead, onFollow }: ToldProps) {
  const t = useText();
  const { history } = useRouter();
  const Icon = noticeIcon(n.kind);
  return (
    <Group gap={10} wrap="nowrap" align="flex-start">
      <Icon size={18} stroke={1.6} aria-hidden style={{ flexShrink: 0, marginTop: 2 }} />
      <div style={{ minWidth: 0 }}>
        <Text size="sm" style={{ overflowWrap: "anywhere", whiteSpace: "pre-line" }}>
          {n.message}
        </Text>
        <Text size="xs" c="dimmed">
          <When at={n.created_at} />
        </Text>
        <Group gap="sm" mt={2}>
          {n.link ? (
            <Anchor
              size="sm"
              href={n.link.path}
              onClick={(e) => {
                if (e.ctrlKey || e.metaKey || e.shiftKey) return; // another tab or window
                e.preventDefault();
                onFollow();
                history.push(n.link?.path ?? "/");
              }}
            >
              {n.link.text}
            </Anchor>
          ) : null}
          <Button size="compact-xs" variant="subtle" onClick={onRead}>
            {t.common.notices.read}
          </Button>
        </Group>
      </div>
    </Group>
  );
}
