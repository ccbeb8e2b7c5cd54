import { Select, Text } from "@mantine/core";
import type { ReactNode } from "react";
import type { Schema } from "../../api/client";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

type Role = Schema<"User">["role"];
const all = ["user", "org_manager", "global_admin"] as const satisfies Role[];

type Props = {
  value: Role;
  onChange: (role: Role) => void;
  disabled?: boolean;
  description?: ReactNode;
  error?: ReactNode;
};

/** RoleSelect picks among the roles that the signed-in person may give. */
export function RoleSelect({ value, onChange, ...input }: Props) {
  const t = useText();
  // Whoever may make organizations is a global administrator.
  const global = useMay()("create-organization");
  const roles = all.filter((role) => global || role !== "global_admin");
  return (
    <Select
      {...input}
      label={t.people.fields.role}
      allowDeselect={false}
      value={value}
      onChange={(next) => {
        const role = all.find((r) => r === next);
        if (role) onChange(role);
      }}
      data={roles.map((role) => ({ value: role, label: t.common.roles[role] }))}
      renderOption={({ option }) => (
        <div>
          <Text size="sm">{option.label}</Text>
          <Text size="xs" c="dimmed">
            {t.people.roleHints[all.find((r) => r === option.value) ?? "user"]}
          </Text>
        </div>
      )}
    />
  );
}
