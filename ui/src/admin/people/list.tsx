import { Box, Group, Text } from "@mantine/core";
import { IconBan, IconCircleCheck, IconKey, IconLock, IconMailExclamation, IconMailForward } from "@tabler/icons-react";
import { type ReactNode, useCallback, useMemo, useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import type { Count } from "../../parts/count";
import type { Field } from "../../parts/csv";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import { type Column, List } from "../../parts/list";
import { called } from "../../parts/person";
import { Status } from "../../parts/status";
import { useMinute, When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { type Catalogue, useText } from "../../text";
import { type Selection, useSelectColumn } from "../selection";
import { type Filters, toQuery } from "./filters";
import classes from "./list.module.css";

type User = Schema<"ListedUser">;
/** The orders of the list, as the server names them. */
export const orders = ["-created", "created", "username", "-username", "role", "-role"] as const;
type PeopleOrder = (typeof orders)[number];

/** peoplePage asks for a page of the accounts that fit. */
export function peoplePage(filter: Filters, cursor: string | undefined, limit: number, sort?: PeopleOrder) {
  return ask(api.GET("/api/admin/users", { params: { query: { ...toQuery(filter), cursor, limit, sort } } }));
}

/** What of a person stands in a file. */
const fields: readonly Field<User>[] = [
  ["username", (u) => u.username],
  ["name", (u) => u.name],
  ["email", (u) => u.email],
  ["role", (u) => u.role],
  ["organization", (u) => u.organization_name],
  ["upn", (u) => u.upn],
  ["sid", (u) => u.sid],
  ["token_count", (u) => u.token_count],
  ["is_active", (u) => u.is_active],
  ["auth_source", (u) => u.auth_source],
  ["language", (u) => u.language],
  ["created_at", (u) => u.created_at],
  ["last_login_at", (u) => u.last_login_at],
  ["locked_until", (u) => u.locked_until],
  ["mail_failed_at", (u) => u.mail_failed_at],
];

type Props = {
  filter: Filters;
  sort: PeopleOrder;
  onSort: (order: string) => void;
  empty: ReactNode;
  /** Where people are chosen for something. */
  selection?: Selection<User> | undefined;
  onCount: (count: Count) => void;
};

/** PeopleList is the table of accounts. A name leads to the person's page. */
export function PeopleList({ filter, sort, onSort, empty, selection, onCount }: Props) {
  const t = useText();
  const words = t.people;
  const manyOrganizations = useMay()("create-organization");
  const [page, setPage] = useState<User[]>([]);
  const select = useSelectColumn(page, selection, words.select, called);
  const onRows = useCallback(
    (rows: User[], count: Count) => {
      setPage(rows);
      onCount(count);
    },
    [onCount],
  );
  const columns = useMemo(() => columnsOf(t, manyOrganizations), [t, manyOrganizations]);
  return (
    <List
      main
      name="people"
      csv={{ of: "people", filtered: Object.keys(filter).length > 0, fields }}
      label={words.list}
      queryKey={["users", "list", filter, sort]}
      fetch={(cursor, limit) => peoplePage(filter, cursor, limit, sort)}
      columns={[...select, ...columns]}
      rowKey={(u) => u.id}
      path={(u) => `/admin/people/${u.id}`}
      sort={{ order: sort, natural: "-created", onChange: onSort }}
      onRows={onRows}
      empty={empty}
    />
  );
}

function columnsOf(t: Catalogue, manyOrganizations: boolean): Column<User>[] {
  const words = t.people;
  return [
    {
      id: "person",
      header: words.columns.person,
      sort: "username",
      cell: (u) => (
        <>
          <div className={classes.person}>
            <TextLink
              to="/admin/people/$id"
              params={{ id: String(u.id) }}
              size="sm"
              fw={600}
              style={{ overflowWrap: "anywhere" }}
            >
              <Free>{called(u)}</Free>
            </TextLink>
            {u.name ? (
              <Text span size="xs" c="dimmed">
                <Free>{u.username}</Free>
              </Text>
            ) : null}
          </div>
          <Text size="xs" c="dimmed" hiddenFrom="sm" style={{ overflowWrap: "anywhere" }}>
            <Free>{u.email}</Free>
          </Text>
          <Text size="xs" c="dimmed" hiddenFrom="sm">
            {t.common.roles[u.role]}
          </Text>
          <Box hiddenFrom="xs" mt={4}>
            <PersonState user={u} />
          </Box>
        </>
      ),
    },
    { id: "email", header: words.columns.email, from: "sm", cell: (u) => <Free>{u.email}</Free> },
    {
      id: "role",
      header: words.columns.role,
      sort: "role",
      from: "md",
      width: { md: 116, xl: 164 },
      cell: (u) => t.common.roles[u.role],
    },
    ...(manyOrganizations
      ? [
          {
            id: "organization",
            header: words.columns.organization,
            from: "xl" as const,
            width: 190,
            cell: (u: User) =>
              u.organization_id ? (
                <TextLink to="/admin/organizations/$id" params={{ id: String(u.organization_id) }} size="sm">
                  <Free>{u.organization_name}</Free>
                </TextLink>
              ) : (
                <Text c="dimmed" size="sm">
                  {words.noOrganization}
                </Text>
              ),
          },
        ]
      : []),
    {
      id: "tokens",
      header: words.columns.tokens,
      from: "md",
      width: 72,
      cell: (u) =>
        u.token_count === 0 ? (
          <Text c="dimmed" size="sm" className="numbers">
            0
          </Text>
        ) : (
          <TextLink to="/admin/tokens" search={{ owner: u.id }} size="sm" className="numbers">
            {u.token_count}
          </TextLink>
        ),
    },
    {
      id: "state",
      header: words.columns.state,
      from: "xs",
      width: { xs: 140, xl: 186 },
      cell: (u) => <PersonState user={u} wrap="nowrap" />,
    },
    {
      id: "lastLogin",
      header: words.columns.lastLogin,
      from: "md",
      width: { md: 120, xl: 144 },
      cell: (u) => <When at={u.last_login_at} fallback={words.neverSignedIn} />,
    },
    {
      id: "added",
      header: words.columns.added,
      sort: "created",
      from: "lg",
      optional: true,
      width: 116,
      cell: (u) => <When at={u.created_at} as="day" />,
    },
  ];
}

/** isLocked tells whether failed sign-ins keep the person out now. */
export function isLocked(user: Schema<"User">): boolean {
  return user.locked_until !== null && new Date(user.locked_until).getTime() > Date.now();
}

/** PersonState says whether and how the person can sign in, and whether mail reaches them. */
export function PersonState({ user, wrap = "wrap" }: { user: Schema<"User">; wrap?: "wrap" | "nowrap" }) {
  const words = useText().people.states;
  useMinute(); // a lock ends by itself
  return (
    <Group gap={6} wrap={wrap}>
      {!user.is_active ? (
        <Status color="gray" icon={IconBan}>
          {user.disabled_by_recovery ? words.recovery : words.disabled}
        </Status>
      ) : user.waiting ? (
        <Status color="orange" icon={IconMailForward}>
          {words.waiting}
        </Status>
      ) : (
        <Status color="accent" icon={IconCircleCheck}>
          {words.active}
        </Status>
      )}
      {isLocked(user) ? (
        <Status color="red" icon={IconLock}>
          {words.locked}
        </Status>
      ) : null}
      {user.mail_failed_at ? (
        <Status color="orange" icon={IconMailExclamation}>
          {words.mailFails}
        </Status>
      ) : null}
      {user.is_active && user.must_change_password ? (
        <Status color="orange" icon={IconKey}>
          {words.mustChange}
        </Status>
      ) : null}
    </Group>
  );
}
