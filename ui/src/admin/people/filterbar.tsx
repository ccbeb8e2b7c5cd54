import { useAddress } from "../../parts/address";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { Filters as Bar, FilterChoice, FilterOrganization } from "../filters";
import { endingDays, type Filters, roles, states } from "./filters";

const usual = ["none", "some", "ending-30"];
const nothing = { q: undefined, role: undefined, state: undefined, tokens: undefined, organization: undefined };

/** FilterBar narrows the list of people; what it says stands in the address. */
export function FilterBar({ filters }: { filters: Filters }) {
  const t = useText();
  const words = t.people.filter;
  const address = useAddress();
  const manyOrganizations = useMay()("create-organization");
  const { tokens } = filters;
  const named = (value: string) => {
    const days = endingDays(value);
    return days ? words.ending(days) : value === "none" ? words.noToken : words.someToken;
  };
  return (
    <Bar
      label={words.search}
      views="people"
      q={filters.q}
      onSearch={(q) => address.set({ q }, true)}
      filtered={Object.keys(filters).length > 0}
      onClear={() => address.set(nothing)}
    >
      <FilterChoice
        label={words.role}
        width={170}
        value={filters.role}
        onChange={(role) => address.set({ role })}
        data={roles
          .filter((r) => manyOrganizations || r !== "global_admin")
          .map((r) => ({ value: r, label: t.common.roles[r] }))}
      />
      <FilterChoice
        label={words.state}
        width={200}
        value={filters.state}
        onChange={(state) => address.set({ state })}
        data={states.map((s) => ({
          value: s,
          label: s === "invited" ? t.people.states.waiting : s === "new" ? words.never : t.people.states[s],
        }))}
      />
      <FilterChoice
        label={words.tokens}
        width={230}
        value={tokens}
        onChange={(value) => address.set({ tokens: value })}
        data={(tokens && !usual.includes(tokens) ? [...usual, tokens] : usual).map((value) => ({
          value,
          label: named(value),
        }))}
      />
      <FilterOrganization
        label={words.organization}
        value={filters.organization}
        onChange={(organization) => address.set({ organization })}
      />
    </Bar>
  );
}
