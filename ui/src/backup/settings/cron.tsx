import { Button, Group, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

type Props = {
  label: string;
  hint: string;
  /** What is asked for most, by its expression. */
  examples: Readonly<Record<string, string>>;
  value: string;
  error: ReactNode;
  onChange: (expression: string) => void;
};

/** Cron is a schedule: an expression, and those that are mostly meant. */
export function Cron({ label, hint, examples, value, error, onChange }: Props) {
  return (
    <div>
      <TextInput
        label={label}
        description={hint}
        maxLength={128}
        spellCheck={false}
        autoComplete="off"
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={value}
        error={error}
        onChange={(e) => onChange(e.currentTarget.value)}
      />
      {/* A group, since both schedules may have the same examples. */}
      <Group gap={6} mt={6} role="group" aria-label={label}>
        {Object.entries(examples).map(([cron, text]) => (
          <Button
            key={cron}
            size="compact-xs"
            variant={value.trim() === cron ? "light" : "default"}
            aria-pressed={value.trim() === cron}
            onClick={() => onChange(cron)}
          >
            {text}
          </Button>
        ))}
      </Group>
    </div>
  );
}
