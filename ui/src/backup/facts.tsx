import { Button, Card, Group, SimpleGrid, Stack, Text, ThemeIcon } from "@mantine/core";
import { IconArchive, IconDatabaseExport, IconShieldCheck } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { When } from "../parts/when";
import { type Catalogue, useLanguage, useText } from "../text";
import type { Stored } from "./types";

type Props = {
  /** When the last backup was made that is complete; null: never. */
  last: string | null;
  /** When a backup was last proven to restore; null: never. */
  proven: string | null;
  settings: Pick<Stored, "next_at" | "next_drill_at" | "retention_days" | "store" | "bucket">;
  /** The last backup that was begun failed, or one is overdue. */
  troubled: boolean;
  /** So does the last trial, or it is overdue. */
  doubtful: boolean;
  /** Tries the latest backup; absent: there is none, or something runs. */
  onProve?: (() => void) | undefined;
};

/** Facts says in a line how backups stand. */
export function Facts({ last, proven, settings, troubled, doubtful, onProve }: Props) {
  const words = useText().backups.facts;
  const place = settings.store === "s3" ? words.inBucket(settings.bucket) : words.inDirectory;
  return (
    <Card component="section" aria-label={words.label}>
      <SimpleGrid cols={{ base: 1, sm: 3 }} spacing="lg">
        <Fact
          icon={IconDatabaseExport}
          color={last && !troubled ? "accent" : "orange"}
          label={words.last}
          next={<Next words={words} at={settings.next_at} />}
        >
          {last ? <When at={last} /> : words.lastNever}
        </Fact>
        <Fact
          icon={IconShieldCheck}
          color={proven && !doubtful ? "accent" : "orange"}
          label={words.proven}
          next={<Next words={words} at={settings.next_drill_at} />}
        >
          <Group gap="xs">
            <span>{proven ? <When at={proven} /> : words.provenNever}</span>
            {onProve ? (
              <Button size="compact-xs" variant="light" onClick={onProve}>
                {words.prove}
              </Button>
            ) : null}
          </Group>
        </Fact>
        <Fact icon={IconArchive} color="gray" label={words.kept} next={place}>
          {words.days(settings.retention_days)}
        </Fact>
      </SimpleGrid>
    </Card>
  );
}

/** Next says when the schedule comes, in the person's own zone. */
function Next({ words, at }: { words: Catalogue["backups"]["facts"]; at: string | null }) {
  const language = useLanguage();
  if (!at) return words.unscheduled;
  const shown = new Intl.DateTimeFormat(language, {
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(at));
  return (
    <time dateTime={at} className="numbers">
      {words.next(shown)}
    </time>
  );
}

type FactProps = { icon: typeof IconShieldCheck; color: string; label: string; next: ReactNode; children: ReactNode };

function Fact({ icon: Sign, color, label, next, children }: FactProps) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
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
        <Text size="xs" c="dimmed" component="div">
          {next}
        </Text>
      </Stack>
    </Group>
  );
}
