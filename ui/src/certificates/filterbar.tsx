import { Pill } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { weekFormat } from "../admin/compliance/weeks";
import { Filters as Bar, FilterChoice, FilterOrganization } from "../admin/filters";
import { personQuery } from "../admin/queries";
import { useAddress } from "../parts/address";
import { called } from "../parts/person";
import { useMay } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { type Filters, isDays, shows, standings } from "./show";

/** FilterBar narrows the list of certificates; what it says stands in the address. */
export function FilterBar({ filters }: { filters: Filters }) {
  const words = useText().certificates.filters;
  const address = useAddress();
  const language = useLanguage();
  const shown = !filters.show || shows.some((show) => show === filters.show);
  const named = (show: string) =>
    isDays(show) ? words.within(Number(show)) : words[standings.find((s) => s === show) ?? "issued"];
  return (
    <Bar
      label={words.search}
      views="certificates"
      q={filters.q}
      onSearch={(q) => address.set({ q }, true)}
      filtered={Object.keys(filters).length > 0}
      onClear={() =>
        address.set({
          q: undefined,
          show: undefined,
          week: undefined,
          token: undefined,
          owner: undefined,
          organization: undefined,
          sort: undefined,
        })
      }
    >
      <FilterChoice
        label={words.show}
        placeholder={words.all}
        width={210}
        value={filters.show}
        onChange={(show) => address.set({ show, sort: undefined })}
        data={(shown ? shows : [...shows, filters.show ?? ""]).map((show) => ({ value: show, label: named(show) }))}
      />
      <FilterOrganization
        label={words.organization}
        value={filters.organization}
        onChange={(organization) => address.set({ organization })}
      />
      {filters.week ? (
        <Pill
          withRemoveButton
          size="md"
          onRemove={() => address.set({ week: undefined, sort: undefined })}
          removeButtonProps={{ "aria-label": words.anyWeek, tabIndex: 0, "aria-hidden": false }}
        >
          {words.week(weekFormat(language, "full").format(new Date(`${filters.week}T00:00:00Z`)))}
        </Pill>
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
      {filters.owner ? <Owner id={filters.owner} onRemove={() => address.set({ owner: undefined })} /> : null}
    </Bar>
  );
}

/** Owner says whose certificates there are. */
function Owner({ id, onRemove }: { id: number; onRemove: () => void }) {
  const words = useText().certificates.filters;
  const { data } = useQuery({ ...personQuery(id), enabled: useMay()("get-user") });
  return (
    <Pill
      withRemoveButton
      size="md"
      onRemove={onRemove}
      removeButtonProps={{ "aria-label": words.noOwner, tabIndex: 0, "aria-hidden": false }}
    >
      {words.owner(data ? called(data) : `#${id}`)}
    </Pill>
  );
}
