import { Select, Text } from "@mantine/core";
import { useText } from "../text";

// The common ones first.
const reasons = [
  "unspecified",
  "keyCompromise",
  "superseded",
  "cessationOfOperation",
  "affiliationChanged",
  "privilegeWithdrawn",
  "cACompromise",
  "aACompromise",
] as const;

export type Reason = (typeof reasons)[number];

/** ReasonSelect asks why something is revoked. */
export function ReasonSelect({ value, onChange }: { value: Reason; onChange: (reason: Reason) => void }) {
  const words = useText().certificates.revoke;
  return (
    <>
      <Select
        label={words.reason}
        description={words.reasons[value].hint}
        data={reasons.map((r) => ({ value: r, label: words.reasons[r].name }))}
        value={value}
        onChange={(chosen) => onChange(reasons.find((r) => r === chosen) ?? "unspecified")}
        allowDeselect={false}
        maxDropdownHeight={320}
      />
      <Text size="xs" c="dimmed">
        {words.public}
      </Text>
    </>
  );
}
