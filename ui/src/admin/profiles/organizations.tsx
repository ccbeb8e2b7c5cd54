import { MultiSelect } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { api, ask } from "../../api/client";
import { organizationQuery } from "../../parts/organization";
import { useText } from "../../text";

type Props = { value: number[]; onChange: (ids: number[]) => void; error: ReactNode };

const most = 20;

/** OrganizationsSelect picks organizations: the server searches while one types. */
export function OrganizationsSelect({ value, onChange, error }: Props) {
  const t = useText();
  const words = t.profiles.form;
  const [text, setText] = useState("");
  const [opened, setOpened] = useState(false);
  const [q] = useDebouncedValue(text, 250);
  const chosen = useQueries({ queries: value.map(organizationQuery) });
  const found = useQuery({
    queryKey: ["organizations", "pick", "several", q],
    queryFn: () => ask(api.GET("/api/admin/organizations", { params: { query: { limit: most, q: q || undefined } } })),
    placeholderData: keepPreviousData,
    enabled: opened,
  });
  const options = new Map((found.data?.items ?? []).map((o) => [String(o.id), o.name]));
  value.forEach((id, i) => {
    options.set(String(id), chosen[i]?.data?.name ?? String(id));
  });
  return (
    <MultiSelect
      label={words.organizations}
      description={words.organizationsHint}
      data={[...options].map(([id, name]) => ({ value: id, label: name }))}
      searchable
      searchValue={text}
      onSearchChange={setText}
      onDropdownOpen={() => setOpened(true)}
      // The server has searched.
      filter={({ options: all }) => all}
      nothingFoundMessage={found.isFetching ? t.common.loading : t.people.pick.nothing}
      value={value.map(String)}
      onChange={(ids) => onChange(ids.map(Number))}
      error={error}
    />
  );
}
