import { Pill, Select } from "@mantine/core";
import { useAddress } from "../admin/address";
import { Filters as Bar, FilterChoice, FilterOrganization } from "../admin/filters";
import { useText } from "../text";
import { type Order, orders } from "./order";
import { type Filters, isDays, shows } from "./show";

type Props = { filters: Filters; order: Order; onOrder: (order: Order) => void };

/** FilterBar narrows the list of certificates; what it says stands in the address. */
export function FilterBar({ filters, order, onOrder }: Props) {
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
      {/* Where the column of ends has no room, its name is not there to be clicked. */}
      <Select
        hiddenFrom="lg"
        aria-label={words.order}
        allowDeselect={false}
        w={{ base: "100%", xs: 170 }}
        value={order}
        onChange={(value) => onOrder(orders.find((o) => o === value) ?? "-issued")}
        data={orders.map((o) => ({ value: o, label: words.orders[o] }))}
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
