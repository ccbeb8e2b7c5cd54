import { Text } from "@mantine/core";
import { api, ask, type Schema } from "../api/client";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { useDevice } from "../token/data";
import { Whose } from "./whose";

type Entry = Schema<"AuditEntry">;

/** midnight is when today began, in this browser's time zone. */
function midnight(): string {
  const day = new Date();
  day.setHours(0, 0, 0, 0);
  return day.toISOString();
}

/** Today lists what the person set up today, on any computer: the audit log has it. */
export function Today() {
  const words = useText().desk.today;
  const language = useLanguage();
  const { username } = useMe();
  const from = midnight();
  const time = new Intl.DateTimeFormat(language, { hour: "2-digit", minute: "2-digit" });
  const columns: Column<Entry>[] = [
    {
      id: "at",
      header: words.at,
      cell: (e) => (
        <time dateTime={e.at} className="numbers">
          {time.format(new Date(e.at))}
        </time>
      ),
    },
    {
      id: "token",
      header: words.token,
      cell: (e) => (
        <TextLink to="/tokens/$serial" params={{ serial: e.target_id }} className="mono">
          {e.target_id}
        </TextLink>
      ),
    },
    { id: "person", header: words.person, cell: (e) => <Owner serial={e.target_id} /> },
  ];
  return (
    <List
      label={words.label}
      queryKey={["audit", "desk", username, from]}
      fetch={(cursor, limit) =>
        ask(
          api.GET("/api/admin/audit", {
            params: { query: { actor: username, action: "hwkey.enrolled", outcome: "success", from, limit, cursor } },
          }),
        )
      }
      columns={columns}
      rowKey={(e) => e.id}
      limit={10}
      expected={3}
      empty={
        <Text size="sm" c="dimmed">
          {words.none}
        </Text>
      }
    />
  );
}

function Owner({ serial }: { serial: string }) {
  const owner = useDevice(serial).data?.owner;
  return owner ? <Whose owner={owner} /> : null;
}
