import { Select } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../api/client";

/** useOrganization gives one organization's record; null asks for none. */
export function useOrganization(id: number | null) {
  return useQuery({
    queryKey: ["organizations", "one", id],
    queryFn: () => ask(api.GET("/api/admin/organizations/{id}", { params: { path: { id: id ?? 0 } } })),
    enabled: id !== null,
    staleTime: 60_000,
  });
}

type Props = {
  value: number | null;
  onChange: (id: number | null) => void;
  label?: string;
  "aria-label"?: string;
  description?: string;
  placeholder?: string;
  error?: string | undefined;
  clearable?: boolean;
  required?: boolean;
};

/** OrganizationSelect finds an organization by a part of its name; the server searches. */
export function OrganizationSelect({ value, onChange, ...rest }: Props) {
  const [typed, setTyped] = useState("");
  const [open, setOpen] = useState(false);
  const chosen = useOrganization(value).data;
  // What stands in the field of a closed list is the choice, not a search.
  const [q] = useDebouncedValue(open && typed !== chosen?.name ? typed.trim() : "", 200);
  const found = useQuery({
    queryKey: ["organizations", "select", q],
    queryFn: () =>
      ask(
        api.GET("/api/admin/organizations", { params: { query: { limit: 50, is_active: true, ...(q ? { q } : {}) } } }),
      ),
    placeholderData: keepPreviousData,
    enabled: open || value === null,
  });
  const names = new Map((found.data?.items ?? []).map((o) => [o.id, o.name]));
  if (chosen) names.set(chosen.id, chosen.name);
  return (
    <Select
      {...rest}
      searchable
      withAsterisk={false}
      data={[...names].map(([id, name]) => ({ value: String(id), label: name }))}
      // The server has searched already.
      filter={({ options }) => options}
      value={value === null ? null : String(value)}
      onChange={(v) => onChange(v === null ? null : Number(v))}
      searchValue={typed}
      onSearchChange={setTyped}
      onDropdownOpen={() => setOpen(true)}
      onDropdownClose={() => setOpen(false)}
      comboboxProps={{ withinPortal: true }}
    />
  );
}
