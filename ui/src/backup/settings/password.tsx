import { Button, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useEffect, useRef, useState } from "react";
import { Panel } from "../../parts/page";
import { Warning } from "../../parts/warning";
import { useText } from "../../text";
import { type Part, shortest } from "../draft";
import { Sheet } from "./sheet";

/** PasswordPart sets what backups are encrypted with, and says before what its loss means. */
export function PasswordPart({ form, stored }: Part) {
  const words = useText().backups.settings.password;
  const [printing, setPrinting] = useState(0);
  const root = useRef<HTMLDivElement>(null);
  const moved = useRef(false);
  const { value: password, onChange, error } = form.getInputProps("encryption_password");
  const { mode } = password;
  // The button that was pressed is gone: the focus goes to what took its place.
  useEffect(() => {
    if (!moved.current || !mode) return;
    moved.current = false;
    root.current?.querySelector<HTMLElement>("input, button")?.focus();
  }, [mode]);
  const move = (next: typeof password) => {
    moved.current = true;
    onChange(next);
  };
  return (
    <Panel title={words.title}>
      <Stack>
        {stored.encryption_password_set ? (
          <Text size="sm">{words.set}</Text>
        ) : (
          <Text size="sm" fw={600}>
            {words.unset}
          </Text>
        )}
        {mode === "replace" || !stored.encryption_password_set ? (
          <Warning>
            <Stack gap={6}>
              <Text size="sm">{words.loss}</Text>
              <Text size="sm">{words.older}</Text>
            </Stack>
          </Warning>
        ) : null}
        <div ref={root}>
          {password.mode === "replace" ? (
            <Stack gap="sm">
              <PasswordInput
                label={words.fresh}
                description={words.freshHint(shortest)}
                autoComplete="new-password"
                maxLength={1024}
                value={password.value}
                error={error}
                onChange={(e) => onChange({ ...password, value: e.currentTarget.value })}
              />
              <PasswordInput
                label={words.again}
                autoComplete="new-password"
                maxLength={1024}
                value={password.again}
                error={form.wrong.again}
                onChange={(e) => onChange({ ...password, again: e.currentTarget.value })}
              />
              {stored.encryption_password_set ? (
                <Group>
                  <Button size="compact-sm" variant="subtle" onClick={() => move({ mode: "keep" })}>
                    {words.keep}
                  </Button>
                </Group>
              ) : null}
            </Stack>
          ) : (
            <Button size="compact-sm" variant="light" onClick={() => move({ mode: "replace", value: "", again: "" })}>
              {words.change}
            </Button>
          )}
        </div>
        <Group gap="sm" wrap="nowrap" align="flex-start">
          <Button
            variant="default"
            style={{ flexShrink: 0 }}
            leftSection={<IconPrinter size={16} aria-hidden />}
            onClick={() => setPrinting((n) => n + 1)}
          >
            {words.sheet}
          </Button>
        </Group>
        <Text size="sm" c="dimmed">
          {words.sheetHint}
        </Text>
        {printing > 0 ? <Sheet key={printing} stored={stored} onDone={() => setPrinting(0)} /> : null}
      </Stack>
    </Panel>
  );
}
