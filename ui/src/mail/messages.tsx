import { Box, Button, Group, SegmentedControl, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconCircleCheck, IconCircleX, IconMail, IconMinus, IconRefresh, IconSend } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { FilterChoice, Filters, NoRows } from "../admin/filters";
import { oneOf, useAddress } from "../parts/address";
import type { Field } from "../parts/csv";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { done, tell } from "../parts/problem";
import { Status } from "../parts/status";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import { list, type Message, retry, type Stored } from "./calls";
import { failureOf, kindName } from "./failure";
import { changesIn, nextAttempt, type Standing, standingOf } from "./message";

/** The statuses, those that need somebody first. */
const statuses = ["failed", "pending", "sent", "dropped"] as const;

const looks = {
  failed: { color: "red", icon: IconCircleX },
  pending: { color: "blue", icon: IconSend },
  retrying: { color: "orange", icon: IconRefresh },
  sent: { color: "accent", icon: IconCircleCheck },
  dropped: { color: "gray", icon: IconMinus },
} satisfies Record<Standing, object>;

/** What of a message stands in a file. */
const fields: readonly Field<Message>[] = [
  ["id", (m) => m.id],
  ["message_id", (m) => m.message_id],
  ["kind", (m) => m.kind],
  ["user", (m) => m.user?.username],
  ["address", (m) => m.address],
  ["language", (m) => m.language],
  ["status", (m) => m.status],
  ["attempts", (m) => m.attempts],
  ["error", (m) => m.error],
  ["reply", (m) => m.reply],
  ["created_at", (m) => m.created_at],
  ["sent_at", (m) => m.sent_at],
  ["next_attempt_at", (m) => m.next_attempt_at],
];

const listKey = ["mail", "list"];

/** Messages lists what was written to people, and what became of it. */
export function Messages({ settings }: { settings: Stored }) {
  const t = useText();
  const words = t.mail.messages;
  const may = useMay();
  const address = useAddress();
  const queries = useQueryClient();
  const q = address.get("q");
  const status = oneOf(address.get("status"), statuses);
  const send = useMutation({
    mutationFn: retry,
    onSuccess: () => done(words.retried),
    onError: tell,
    onSettled: () => queries.invalidateQueries({ queryKey: ["mail"] }),
  });
  const mayRetry = may("retry-mail");
  const again = (m: Message) =>
    mayRetry && m.status === "failed" ? (
      <Button
        size="compact-sm"
        variant="subtle"
        aria-label={words.retryOf(kindName(m.kind, t.mail), m.address)}
        loading={send.isPending && send.variables === m.id}
        onClick={() => send.mutate(m.id)}
      >
        {words.retry}
      </Button>
    ) : null;
  const of = (message: Message) => ({ message, settings });
  const columns: Column<Message>[] = [
    { id: "message", header: words.columns.message, cell: (m) => <What {...of(m)} action={again(m)} /> },
    { id: "to", header: words.columns.to, from: "sm", width: 280, cell: (m) => <To message={m} /> },
    { id: "status", header: words.columns.status, from: "sm", width: 130, cell: (m) => <State message={m} /> },
    { id: "result", header: words.columns.result, from: "lg", cell: (m) => <Result {...of(m)} /> },
  ];
  if (mayRetry) {
    const header = <VisuallyHidden>{words.columns.actions}</VisuallyHidden>;
    columns.push({ id: "actions", header, right: true, from: "sm", width: 110, cell: again });
  }
  const filtered = Boolean(q || status);
  const choose = (value: string | undefined) => address.set({ status: oneOf(value, statuses) });
  const choices = statuses.map((s) => ({ value: s, label: words.status[s] }));
  return (
    <Panel
      title={words.title}
      aside={
        <Text size="xs" c="dimmed">
          {words.kept}
        </Text>
      }
    >
      <Filters
        label={words.search}
        q={q}
        onSearch={(value) => address.set({ q: value }, true)}
        filtered={filtered}
        onClear={() => address.set({ q: undefined, status: undefined })}
      >
        {/* Where there is no room for all of them beside each other, one opens. */}
        <Box visibleFrom="sm">
          <SegmentedControl
            aria-label={words.filter}
            size="xs"
            value={status ?? "all"}
            onChange={choose}
            data={[{ value: "all", label: t.common.all }, ...choices]}
          />
        </Box>
        <Box hiddenFrom="sm" w="100%">
          <FilterChoice label={words.filter} width={200} value={status} onChange={choose} data={choices} />
        </Box>
      </Filters>
      <List
        main
        tall
        name="messages"
        csv={{ of: "messages", filtered, fields }}
        label={words.title}
        queryKey={[...listKey, status ?? "", q ?? ""]}
        fetch={(cursor, limit) => list({ cursor, limit, status, q })}
        columns={columns}
        rowKey={(m) => m.id}
        refetchInterval={(rows) => changesIn(rows, settings, Date.now())}
        empty={<NoRows filtered={filtered} icon={IconMail} words={words.empty} />}
      />
    </Panel>
  );
}

function State({ message: m }: { message: Message }) {
  const words = useText().mail.messages.status;
  const standing = standingOf(m);
  return <Status {...looks[standing]}>{words[standing]}</Status>;
}

type Of = { message: Message; settings: Stored };

/** What says what a message is about; on a narrow screen with all that the other columns hold. */
function What({ message: m, settings, action }: Of & { action: ReactNode }) {
  const words = useText().mail;
  return (
    <Stack gap={2}>
      <Text size="sm" fw={600}>
        {kindName(m.kind, words)}
      </Text>
      <Text size="xs" c="dimmed" component="div">
        <When at={m.created_at} />
      </Text>
      <Stack gap={4} hiddenFrom="sm">
        <To message={m} />
        <Group justify="space-between" gap="xs">
          <State message={m} />
          {action}
        </Group>
      </Stack>
      <Text component="div" hiddenFrom="lg">
        <Result message={m} settings={settings} />
      </Text>
    </Stack>
  );
}

function To({ message: m }: { message: Message }) {
  return (
    <Stack gap={0}>
      {m.user ? (
        <TextLink to="/admin/people/$id" params={{ id: String(m.user.id) }} size="sm">
          {m.user.username}
        </TextLink>
      ) : null}
      <Text size={m.user ? "xs" : "sm"} c={m.user ? "dimmed" : undefined} style={{ overflowWrap: "anywhere" }}>
        {m.address}
      </Text>
    </Stack>
  );
}

/** Result says what became of a message: why it failed or waits, and what to do. */
function Result({ message: m, settings }: Of) {
  const t = useText();
  const words = t.mail.messages;
  const over = m.status === "sent" || !m.error;
  const { what, todo, reply } = failureOf(m.error, m.reply, t.mail);
  const next = nextAttempt(m, settings, Date.now());
  return (
    <Stack gap={0}>
      {over ? null : <Text size="sm">{[what, todo].filter(Boolean).join(" ")}</Text>}
      {over || !reply ? null : (
        <Text size="xs" c="dimmed">
          {reply}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="numbers" component="div">
        {m.attempts > 0 ? words.attempts(m.attempts) : null}
        {m.sent_at ? (
          <>
            {m.attempts > 0 ? ", " : null}
            {words.sent} <When at={m.sent_at} />
          </>
        ) : null}
        {next ? (
          <>
            {m.attempts > 0 ? ", " : null}
            {words.next} <When at={next} />
          </>
        ) : null}
      </Text>
    </Stack>
  );
}
