import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type ReactNode, useEffect, useRef } from "react";
import type { Catalogue } from "../text";

/** Secret is what is to become of one that the server keeps and never shows. */
export type Secret = { mode: "keep" } | { mode: "replace"; value: string } | { mode: "remove" };

type Props = {
  words: Catalogue["settings"]["signon"]["secret"];
  value: Secret;
  /** There is one in the vault. */
  stored: boolean;
  onChange: (secret: Secret) => void;
  error: ReactNode;
};

/** SecretField sets a secret; the stored one is never shown. */
export function SecretField({ words, value: secret, stored, onChange, error }: Props) {
  const root = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const { mode } = secret;
  // The button that was pressed is gone: the focus goes to what took its place.
  useEffect(() => {
    if (!moved.current || !mode) return;
    moved.current = false;
    root.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [mode]);
  const move = (next: Secret) => {
    moved.current = true;
    onChange(next);
  };
  const back = (
    <Button size="compact-sm" variant="subtle" onClick={() => move({ mode: "keep" })}>
      {stored ? words.keep : words.drop}
    </Button>
  );
  if (secret.mode === "replace") {
    return (
      <Stack gap={4} align="stretch" ref={root}>
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
    <div ref={root}>
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
            <Button size="compact-sm" variant="light" onClick={() => move({ mode: "replace", value: "" })}>
              {stored ? words.replace : words.add}
            </Button>
            {stored ? (
              <Button size="compact-sm" variant="subtle" color="red" onClick={() => move({ mode: "remove" })}>
                {words.remove}
              </Button>
            ) : null}
          </>
        )}
      </Group>
    </div>
  );
}
