import { Button, Group, Pill, Select } from "@mantine/core";
import { useAddress } from "../admin/address";
import { OrganizationSelect } from "../admin/pick";
import { SearchBox } from "../admin/search";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import { type Order, orders } from "./order";
import { type Filters, isDays, shows } from "./show";

type Props = { filters: Filters; order: Order; onOrder: (order: Order) => void };

/** FilterBar narrows the list of certificates; what it says stands in the address. */
export function FilterBar({ filters, order, onOrder }: Props) {
  const t = useText();
  const words = t.certificates.filters;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const filtered = Object.keys(filters).length > 0;
  return (
    <Group gap="xs" mb="sm" role="search">
      <SearchBox label={words.search} value={filters.q} onChange={(q) => address.set({ q }, true)} />
      <Select
        aria-label={words.show}
        placeholder={words.all}
        clearable
        clearButtonProps={{ "aria-label": `${t.common.actions.clear}: ${words.show}` }}
        w={{ base: "100%", xs: 210 }}
        value={filters.show ?? null}
        onChange={(show) => address.set({ show: show ?? undefined, sort: undefined })}
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
      {manyOrganizations ? (
        <OrganizationSelect
          compact
          label={words.organization}
          placeholder={words.organization}
          value={filters.organization}
          onChange={(id) => address.set({ organization: id?.toString() })}
        />
      ) : null}
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
      {filtered ? (
        <Button
          variant="subtle"
          onClick={() =>
            address.set({ q: undefined, show: undefined, token: undefined, organization: undefined, sort: undefined })
          }
        >
          {t.common.actions.clear}
        </Button>
      ) : null}
    </Group>
  );
}
