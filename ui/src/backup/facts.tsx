import { Button, Card, Group, SimpleGrid, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCalendarTime, IconDatabaseExport, IconShieldCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { When } from "../parts/when";
import { useText } from "../text";
import type { Stored } from "./types";

type Props = {
  /** When the last backup was made that is complete; null: never. */
  last: string | null;
  /** When a backup was last proven to restore; null: never. */
  proven: string | null;
  settings: Pick<Stored, "schedule" | "time_zone" | "encryption_password_set">;
  /** The last backup that was begun failed. */
  troubled: boolean;
  /** Tries the latest backup; absent: there is none, or something runs. */
  onProve?: (() => void) | undefined;
};

/** Facts says in a line how backups stand. */
export function Facts({ last, proven, settings, troubled, onProve }: Props) {
  const words = useText().backups.facts;
  const scheduled = settings.schedule !== "" && settings.encryption_password_set;
  return (
    <Card component="section" aria-label={words.label}>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        <Fact icon={IconDatabaseExport} color={last && !troubled ? "accent" : "orange"} label={words.last}>
          {last ? <When at={last} /> : words.lastNever}
        </Fact>
        <Fact icon={IconShieldCheck} color={proven ? "accent" : "orange"} label={words.proven}>
          <Group gap="xs">
            <span>{proven ? <When at={proven} /> : words.provenNever}</span>
            {onProve ? (
              <Button size="compact-xs" variant="light" onClick={onProve}>
                {words.prove}
              </Button>
            ) : null}
          </Group>
        </Fact>
        <Fact icon={IconCalendarTime} color={scheduled ? "accent" : "gray"} label={words.schedule}>
          {scheduled ? (
            <>
              <span className="mono">{settings.schedule}</span> {settings.time_zone || "UTC"}
            </>
          ) : (
            words.unscheduled
          )}
        </Fact>
      </SimpleGrid>
    </Card>
  );
}

type FactProps = { icon: typeof IconShieldCheck; color: string; label: string; children: ReactNode };

function Fact({ icon: Sign, color, label, children }: FactProps) {
  return (
    <Group gap="sm" wrap="nowrap">
      <ThemeIcon size={40} radius="xl" variant="light" color={color} aria-hidden>
        <Sign size={22} stroke={1.8} />
      </ThemeIcon>
      <Stack gap={0}>
        <Text size="xs" c="dimmed">
          {label}
        </Text>
        <Text fw={650} component="div">
          {children}
        </Text>
      </Stack>
    </Group>
  );
}
