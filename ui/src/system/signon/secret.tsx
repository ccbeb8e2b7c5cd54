import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { useText } from "../../text";
import type { Secret } from "./draft";

type Props = {
  secret: Secret;
  /** There is one in the vault. */
  stored: boolean;
  onChange: (secret: Secret) => void;
  error: string | undefined;
};

/** SecretField sets the client secret; the stored one is never shown. */
export function SecretField({ secret, stored, onChange, error }: Props) {
  const words = useText().settings.signon.secret;
  const back = stored ? (
    <Button size="compact-sm" variant="subtle" onClick={() => onChange({ mode: "keep" })}>
      {words.keep}
    </Button>
  ) : null;
  if (secret.mode === "replace") {
    return (
      <Stack gap={4} align="stretch">
        <PasswordInput
          label={words.fresh}
          autoComplete="off"
          maxLength={512}
          value={secret.value}
          error={error}
          onChange={(e) => onChange({ mode: "replace", value: e.currentTarget.value })}
        />
        <Group>{back}</Group>
      </Stack>
    );
  }
  const said = secret.mode === "remove" ? words.removed : stored ? words.set : words.unset;
  return (
    <div>
      <Text size="sm" fw={600}>
        {words.label}
      </Text>
      <Text size="sm" c="dimmed">
        {said}
      </Text>
      {error ? (
        <Text size="xs" c="var(--mantine-color-error)" role="alert">
          {error}
        </Text>
      ) : null}
      <Group gap="xs" mt={4}>
        {secret.mode === "remove" ? (
          back
        ) : (
          <>
            <Button size="compact-sm" variant="light" onClick={() => onChange({ mode: "replace", value: "" })}>
              {stored ? words.replace : words.add}
            </Button>
            {stored ? (
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => onChange({ mode: "remove" })}>
                {words.remove}
              </Button>
            ) : null}
          </>
        )}
      </Group>
    </div>
  );
}
