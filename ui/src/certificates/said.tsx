import { Text } from "@mantine/core";
import { useText } from "../text";

/** Said lists usages in words, with their names; one without words stands alone. */
export function Said({ names, words }: { names: readonly string[]; words: Readonly<Record<string, string>> }) {
  const t = useText();
  if (names.length === 0) return t.certificates.detail.noNames;
  return names.map((name) => (
    <div key={name}>
      {Object.hasOwn(words, name) ? (
        <>
          {words[name]}{" "}
          <Text span size="xs" c="dimmed">
            {name}
          </Text>
        </>
      ) : (
        <span className="mono">{name}</span>
      )}
    </div>
  ));
}
