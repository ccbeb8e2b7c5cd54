import { Pill } from "@mantine/core";
import { Filters as Bar, FilterChoice, FilterOrganization } from "../admin/filters";
import { useAddress } from "../parts/address";
import { useText } from "../text";
import { type Filters, isDays, shows } from "./show";

/** FilterBar narrows the list of certificates; what it says stands in the address. */
export function FilterBar({ filters }: { filters: Filters }) {
  const words = useText().certificates.filters;
  const address = useAddress();
  return (
    <Bar
      label={words.search}
      q={filters.q}
      onSearch={(q) => address.set({ q }, true)}
      filtered={Object.keys(filters).length > 0}
      onClear={() =>
        address.set({ q: undefined, show: undefined, token: undefined, organization: undefined, sort: undefined })
      }
    >
      <FilterChoice
        label={words.show}
        placeholder={words.all}
        width={210}
        value={filters.show}
        onChange={(show) => address.set({ show, sort: undefined })}
        data={shows.map((show) => ({ value: show, label: isDays(show) ? words.within(Number(show)) : words[show] }))}
      />
      <FilterOrganization
        label={words.organization}
        value={filters.organization}
        onChange={(organization) => address.set({ organization })}
      />
      {filters.token ? (
        <Pill
          withRemoveButton
          size="md"
          onRemove={() => address.set({ token: undefined })}
          removeButtonProps={{ "aria-label": words.noToken, tabIndex: 0, "aria-hidden": false }}
        >
          {words.token(filters.token)}
        </Pill>
      ) : null}
    </Bar>
  );
}
