import { Select, Text } from "@mantine/core";
import { useMe } from "../session/hooks";
import { useText } from "../text";
import { type Reason, reasonsFor } from "./reasons";

/** ReasonSelect asks why something is revoked. Administrators see the exact terms, too. */
export function ReasonSelect({ value, onChange }: { value: Reason; onChange: (reason: Reason) => void }) {
  const words = useText().certificates.revoke;
  const { role } = useMe();
  const user = role === "user";
  const said = (r: Reason) => (user ? words.own[r] : undefined) ?? words.reasons[r];
  return (
    <>
      <Select
        label={words.reason}
        description={said(value).hint}
        data={reasonsFor(role).map((r) => ({ value: r, label: user ? said(r).name : `${said(r).name} (${r})` }))}
        value={value}
        onChange={(chosen) => onChange(reasonsFor(role).find((r) => r === chosen) ?? "unspecified")}
        allowDeselect={false}
        maxDropdownHeight={320}
      />
      <Text size="xs" c="dimmed">
        {words.public}
      </Text>
    </>
  );
}
