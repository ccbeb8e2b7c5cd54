import { Badge, Button, Group, Stack, Text, VisuallyHidden } from "@mantine/core";
import { IconCertificate, IconCircleCheck, IconCircleDashed, IconCopy } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { TextLink } from "../../parts/link";
import { type Column, List } from "../../parts/list";
import { Empty } from "../../parts/page";
import { Status } from "../../parts/status";
import { type Catalogue, useText } from "../../text";
import { describe } from "../../token/purpose";
import { allProfilesQuery, type Profile } from "./queries";

/** ProfileTable lists all profiles, the built-in ones first. */
export function ProfileTable({ onCopy }: { onCopy: (profile: Profile) => void }) {
  const t = useText();
  const words = t.profiles;
  const queries = useQueryClient();
  const columns = useMemo(() => columnsOf(t, onCopy), [t, onCopy]);
  return (
    <List
      tall
      label={words.list}
      queryKey={allProfilesQuery.queryKey}
      expected={6}
      fetch={async () => {
        const { items } = await queries.fetchQuery({ ...allProfilesQuery, staleTime: 0 });
        return { items, next_cursor: null, total: items.length, total_is_exact: true };
      }}
      columns={columns}
      rowKey={(p) => p.name}
      empty={<Empty icon={IconCertificate} title={words.missing} />}
    />
  );
}

function columnsOf(t: Catalogue, onCopy: (profile: Profile) => void): Column<Profile>[] {
  const words = t.profiles;
  return [
    {
      id: "name",
      header: words.columns.name,
      cell: (p) => (
        <Stack gap={0} align="flex-start" style={{ overflowWrap: "anywhere" }}>
          <Group gap={6}>
            <TextLink to="/admin/profiles/$name" params={{ name: p.name }} size="sm" fw={600}>
              {p.name}
            </TextLink>
            <Kind profile={p} />
          </Group>
          <Text size="xs" c="dimmed">
            {describe(t, p.name, p.description ?? "")}
          </Text>
          <Group gap={6} hiddenFrom="sm" mt={4}>
            <Text size="xs">{p.slots.join(", ")}</Text>
            <Use profile={p} />
          </Group>
        </Stack>
      ),
    },
    { id: "slots", header: words.columns.slots, from: "sm", width: 120, cell: (p) => p.slots.join(", ") },
    { id: "use", header: words.columns.use, from: "sm", width: 150, cell: (p) => <Use profile={p} /> },
    {
      id: "copy",
      header: <VisuallyHidden>{t.common.actions.more}</VisuallyHidden>,
      right: true,
      width: 120,
      cell: (p) => (
        <Button
          size="compact-sm"
          variant="subtle"
          leftSection={<IconCopy size={14} aria-hidden />}
          aria-label={words.actions.copyOf(p.name)}
          onClick={() => onCopy(p)}
        >
          {words.actions.copy}
        </Button>
      ),
    },
  ];
}

/** Kind marks a profile that is part of Keyward. */
export function Kind({ profile }: { profile: Profile }) {
  const words = useText().profiles.kind;
  return profile.builtin ? (
    <Badge variant="light" color="gray" tt="none" size="sm">
      {words.builtin}
    </Badge>
  ) : null;
}

/** Use tells whether some slot gets a profile. */
export function Use({ profile }: { profile: Profile }) {
  const words = useText().profiles.use;
  return profile.in_use ? (
    <Status color="accent" icon={IconCircleCheck}>
      {words.yes}
    </Status>
  ) : (
    <Status color="gray" icon={IconCircleDashed}>
      {words.no}
    </Status>
  );
}
