import { useQuery } from "@tanstack/react-query";
import { useAddress } from "../../parts/address";
import { useText } from "../../text";
import { Filters as Bar, FilterChoice, FilterOrganization, FilterText } from "../filters";
import { PersonSelect } from "../pick";
import { before, endingDays, type Filters, oldDays, seenDays, shows } from "./filters";
import { fleetQuery } from "./fleet";

const nothing = {
  q: undefined,
  status: undefined,
  owner: undefined,
  organization: undefined,
  model: undefined,
  firmware: undefined,
  seen: undefined,
  show: undefined,
};

/** with puts what was chosen elsewhere, such as by a link, among the usual choices. */
const withChosen = (usual: readonly string[], chosen: string | undefined) =>
  chosen && !usual.includes(chosen) ? [...usual, chosen] : usual;

/** FilterBar narrows the list of tokens; what it says stands in the address. */
export function FilterBar({ filters }: { filters: Filters }) {
  const words = useText().stock.filter;
  const address = useAddress();
  const versions = useQuery(fleetQuery(filters.organization)).data?.firmware ?? [];
  const firmware = (value: string) =>
    value === "none" ? words.unknown : value.startsWith("<") ? words.before(value.slice(1)) : value;
  const seen = (value: string) => {
    const last = seenDays(value);
    return !last ? value : last.within ? words.seenWithin(last.days) : words.notSeenFor(last.days);
  };
  const show = (value: string) => {
    const [ending, old] = [endingDays(value), oldDays(value)];
    if (ending) return words.ending(ending);
    if (old) return words.old(old);
    return words.shows[shows.find((s) => s === value) ?? "new"];
  };
  const named = (values: readonly string[], name: (value: string) => string) =>
    values.map((value) => ({ value, label: name(value) }));
  const { q, status: _, owner, organization: __, ...more } = filters;
  return (
    <Bar
      label={words.search}
      q={q}
      onSearch={(value) => address.set({ q: value }, true)}
      filtered={Object.keys(filters).length > 0}
      onClear={() => address.set(nothing)}
      views="tokens"
      active={Object.keys(more).length}
      more={
        <>
          <FilterText
            label={words.model}
            width={150}
            value={filters.model}
            onChange={(model) => address.set({ model }, true)}
          />
          <FilterChoice
            label={words.firmware}
            width={170}
            value={filters.firmware}
            onChange={(value) => address.set({ firmware: value })}
            data={named(
              withChosen(
                [...before(versions).map((v) => `<${v}`), ...versions.map((v) => v || "none")],
                filters.firmware,
              ),
              firmware,
            )}
          />
          <FilterChoice
            label={words.seen}
            width={210}
            value={filters.seen}
            onChange={(value) => address.set({ seen: value })}
            data={named(withChosen(["30", "90", "180", "365", "within-7", "within-30"], filters.seen), seen)}
          />
          <FilterChoice
            label={words.show}
            width={270}
            value={filters.show}
            onChange={(value) => address.set({ show: value })}
            data={named(withChosen([...shows, "ending-30", "old-365"], filters.show), show)}
          />
        </>
      }
    >
      <PersonSelect
        compact
        label={words.owner}
        placeholder={words.owner}
        organizationId={filters.organization}
        value={owner}
        onChange={(id) => address.set({ owner: id?.toString() })}
      />
      <FilterOrganization
        label={words.organization}
        value={filters.organization}
        onChange={(organization) => address.set({ organization })}
      />
    </Bar>
  );
}
