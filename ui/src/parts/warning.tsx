import { Alert, type AlertProps, Text } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";

/** Warning stands out with a sign; danger: something is broken, or will be lost. */
export function Warning({ danger = false, children, ...rest }: AlertProps & { danger?: boolean }) {
  return (
    <Alert color={danger ? "red" : "orange"} variant="light" icon={<IconAlertTriangle aria-hidden />} {...rest}>
      {typeof children === "string" ? <Text size="sm">{children}</Text> : children}
    </Alert>
  );
}
