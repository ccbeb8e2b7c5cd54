import { Group, Text } from "@mantine/core";
import { useText } from "../text";

/** Logo is that of public/favicon.svg, in the accent of the present scheme. */
export function Logo({ size }: { size: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden>
      <rect x="4" y="9" width="24" height="14" rx="4" style={{ fill: "var(--mantine-primary-color-filled)" }} />
      <circle cx="12" cy="16" r="3.5" fill="#fff" />
      <path d="M15 15h9v2h-1.5v2.5H20V17h-5z" fill="#fff" />
    </svg>
  );
}

/** Brand says whose page it is, where there is no frame that does. */
export function Brand() {
  return (
    <Group gap="xs">
      <Logo size={28} />
      <Text fw={700} size="lg">
        {useText().common.product}
      </Text>
    </Group>
  );
}
