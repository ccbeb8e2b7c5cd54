import { Alert, Text } from "@mantine/core";
import { IconLockOpen } from "@tabler/icons-react";
import { useText } from "../text";

/**
 * Insecure warns of a page that is no secure context (plain http on another host than this computer): whatever is
 * typed travels in the clear, and the browser keeps from it what encrypts, the agent, and the cookie of a sign-in.
 */
export function Insecure({ mb }: { mb?: string }) {
  const t = useText();
  if (isSecureContext) return null;
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      mb={mb}
      icon={<IconLockOpen aria-hidden />}
      title={t.common.insecure.title}
    >
      <Text size="sm">{t.common.insecure.detail}</Text>
    </Alert>
  );
}
