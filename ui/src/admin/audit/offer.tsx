import { type OptionsFilter, Text } from "@mantine/core";
import { useText } from "../../text";
import { choices, matches, phrase } from "./actions";

/** useOffer gives what a field for actions offers: the known ones in their groups, found and shown by their words, too. */
export function useOffer() {
  const words = useText().audit;
  const filter: OptionsFilter = ({ options, search }) =>
    options
      .map((o) => ("group" in o ? { ...o, items: o.items.filter((i) => matches(words, i.value, search)) } : o))
      .filter((o) => !("group" in o) || o.items.length > 0);
  const renderOption = ({ option }: { option: { value: string } }) => (
    <div>
      <Text size="sm">{phrase(words, option.value)}</Text>
      <Text size="xs" c="dimmed" className="mono">
        {option.value}
      </Text>
    </div>
  );
  return { data: choices(words), filter, renderOption };
}
