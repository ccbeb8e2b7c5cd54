import { Text } from "@mantine/core";
import type { ProblemField } from "../../api/problem";
import { useLanguage, useText } from "../../text";
import { sayField } from "../../text/say";

/** Errors says what is wrong with a line of a file, by the names of its columns. */
export function Errors({ errors }: { errors: readonly ProblemField[] }) {
  const words = useText().fields;
  const language = useLanguage();
  return errors.map((e) => (
    <Text key={`${e.field}${e.message}`} size="sm">
      <Text span size="xs" className="mono" fw={600} style={{ whiteSpace: "nowrap" }}>
        {e.field}:
      </Text>{" "}
      {sayField(e, words, language)}
    </Text>
  ));
}
