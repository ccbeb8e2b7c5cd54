import { Loader, Select, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, ask, type Schema } from "../api/client";
import { identified } from "../parts/person";
import { explain } from "../parts/problem";
import { useText } from "../text";

type Option<K> = { id: K; name: string; hint: string };
type Input<K = number> = {
  label: string;
  value: K | undefined;
  onChange: (id: K | undefined) => void;
  /** Filters stand without a visible label. */
  compact?: boolean;
  placeholder?: string;
  description?: ReactNode;
  error?: ReactNode;
  disabled?: boolean;
  required?: boolean;
  clearable?: boolean;
  autoFocus?: boolean;
};
type Source<K = number> = {
  name: string;
  one: (id: K) => Promise<Option<K>>;
  find: (q: string | undefined) => Promise<Option<K>[]>;
  /** What else narrows the search; part of its name in the cache. */
  within?: unknown;
};

const size = 20;

/** Pick is a select over more than a page can hold: the server searches while one types. */
function Pick<K extends number | string>({
  source,
  compact,
  label,
  value,
  onChange,
  autoFocus,
  clearable = true,
  ...input
}: Input<K> & { source: Source<K> }) {
  const t = useText();
  const [text, setText] = useState("");
  const [opened, setOpened] = useState(false);
  const [typed] = useDebouncedValue(text, 250);
  const chosen = useQuery({
    queryKey: [source.name, "pick", value],
    queryFn: () => source.one(value as K),
    enabled: value !== undefined,
    staleTime: 60_000,
  });
  const name = chosen.data?.name;
  // What stands in the field after a choice is not a search for it.
  const q = typed && typed !== name ? typed : undefined;
  const found = useQuery({
    queryKey: [source.name, "pick", "find", source.within ?? null, q ?? ""],
    queryFn: () => source.find(q),
    placeholderData: keepPreviousData,
    // Nothing is asked for before somebody looks.
    enabled: opened,
  });
  const failed = found.error ?? (chosen.isLoadingError ? chosen.error : null);
  const options = new Map<string, Option<K>>();
  for (const option of [...(found.data ?? []), ...(chosen.data && value !== undefined ? [chosen.data] : [])]) {
    options.set(String(option.id), option);
  }
  return (
    <Select
      {...input}
      error={input.error ?? (failed ? said(failed, t.common.problem.requestId) : undefined)}
      {...(compact ? { "aria-label": label, w: { base: "100%", xs: 200 } } : { label })}
      data-autofocus={autoFocus || undefined}
      searchable
      clearable={clearable}
      clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${label}` }}
      value={value === undefined ? null : String(value)}
      onChange={(id) => onChange(id === null ? undefined : options.get(id)?.id)}
      onSearchChange={setText}
      onDropdownOpen={() => {
        setOpened(true);
        if (found.isError) void found.refetch();
      }}
      data={[...options.values()].map((o) => ({ value: String(o.id), label: o.name }))}
      filter={({ options: all }) => all}
      limit={size + 1}
      // A search that failed found nobody, but not because there is nobody.
      nothingFoundMessage={found.isFetching ? t.common.loading : found.isError ? undefined : t.people.pick.nothing}
      rightSection={found.isFetching && text ? <Loader size={14} /> : undefined}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed">
            {options.get(option.value)?.hint}
          </Text>
        </div>
      )}
    />
  );
}

function said(error: unknown, request: string): string {
  const { detail, requestId } = explain(error);
  return requestId ? `${detail} (${request} ${requestId})` : detail;
}

const person = (u: Schema<"User">): Option<number> => ({
  id: u.id,
  name: identified(u),
  hint: [u.email, u.organization_name].filter(Boolean).join(" · "),
});

/** PersonSelect picks an account by name, username or email. */
export function PersonSelect({
  organizationId,
  activeOnly = false,
  ...input
}: Input & { organizationId?: number | undefined; activeOnly?: boolean }) {
  const source: Source = {
    name: "users",
    within: { organizationId, activeOnly },
    one: async (id) => person(await ask(api.GET("/api/admin/users/{id}", { params: { path: { id } } }))),
    find: async (q) => {
      const query = {
        limit: size,
        q,
        organization_id: organizationId,
        is_active: activeOnly || undefined,
      };
      return (await ask(api.GET("/api/admin/users", { params: { query } }))).items.map(person);
    },
  };
  return <Pick source={source} {...input} />;
}

/** OrganizationSelect picks an organization by name. */
export function OrganizationSelect({ activeOnly = false, ...input }: Input & { activeOnly?: boolean }) {
  const t = useText();
  const organization = (o: Schema<"Organization">): Option<number> => ({
    id: o.id,
    name: o.name,
    hint: o.is_active ? o.email_domains.join(", ") : t.people.states.disabled,
  });
  const source: Source = {
    name: "organizations",
    within: { activeOnly },
    one: async (id) => organization(await ask(api.GET("/api/admin/organizations/{id}", { params: { path: { id } } }))),
    find: async (q) => {
      const query = { limit: size, q, is_active: activeOnly || undefined };
      return (await ask(api.GET("/api/admin/organizations", { params: { query } }))).items.map(organization);
    },
  };
  return <Pick source={source} {...input} />;
}

const stocked = (k: Schema<"HWKey">): Option<string> => ({
  id: k.serial,
  name: k.serial,
  hint: [k.label, k.model, k.firmware_version, k.organization_name].filter(Boolean).join(" · "),
});

/** StockSelect picks a token that nobody has, for somebody of an organization (null: of none), by its serial number or label. */
export function StockSelect({ organizationId, ...input }: Input<string> & { organizationId: number | null }) {
  const find = async (q: string | undefined, organization_id: number | undefined) =>
    (await ask(api.GET("/api/hwkey", { params: { query: { limit: size, q, status: "in_stock", organization_id } } })))
      .items;
  const source: Source<string> = {
    name: "hwkeys",
    within: organizationId,
    one: async (serial) => stocked(await ask(api.GET("/api/hwkey/{serial}", { params: { path: { serial } } }))),
    find: async (q) => {
      // Of the organization's own, and of those that belong to none yet.
      const own = organizationId === null ? [] : await find(q, organizationId);
      const free = (await find(q, undefined)).filter((k) => k.organization_id === null);
      return [...own, ...free].map(stocked);
    },
  };
  return <Pick source={source} {...input} />;
}
