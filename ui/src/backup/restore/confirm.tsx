import { Button, Checkbox, Group, List, Stack, Text, TextInput, ThemeIcon } from "@mantine/core";
import { IconArrowBackUp, IconCircleCheck, IconDoorExit, IconShieldCheck } from "@tabler/icons-react";
import { type ComponentType, useEffect, useRef, useState } from "react";
import type { Attempt } from "../../parts/attempt";
import { AttemptAlert } from "../../parts/problem";
import { When } from "../../parts/when";
import { useText } from "../../text";
import type { Header } from "../types";

type Props = {
  header: Header;
  attempt: Attempt;
  onBack: () => void;
  onClose: () => void;
  onBegin: (replaceCA: boolean) => Promise<void>;
};

/** Confirm says what a restore changes and what it leaves, and begins it once a word is typed. */
export function Confirm({ header, attempt, onBack, onClose, onBegin }: Props) {
  const t = useText();
  const words = t.backups.restore;
  const [typed, setTyped] = useState("");
  const [replaceCA, setReplaceCA] = useState(false);
  const heading = useRef<HTMLDivElement>(null);
  useEffect(() => heading.current?.focus(), []);
  const { busy } = attempt;
  const ready = typed.trim() === words.word;
  const { happens } = words;
  return (
    <form onSubmit={attempt.submit(async () => !ready || (await onBegin(replaceCA)))} noValidate>
      <Stack>
        <Stack gap="sm" ref={heading} tabIndex={-1} style={{ outline: "none" }}>
          <Group gap="xs" wrap="nowrap" role="status">
            <ThemeIcon variant="transparent" size={22} aria-hidden>
              <IconCircleCheck size={20} />
            </ThemeIcon>
            <Text size="sm">
              {words.password.right} {words.password.made} <When at={header.created_at} as="both" />
              {header.includes_db
                ? `, ${header.includes_audit ? words.password.audit.yes : words.password.audit.no}`
                : ""}
              .
            </Text>
          </Group>
          {header.includes_db ? (
            <>
              <Part icon={IconArrowBackUp} color="orange" title={happens.replaced} texts={happens.replacedTexts} />
              {replaceCA ? null : (
                <Part
                  icon={IconShieldCheck}
                  color="accent"
                  title={happens.stays}
                  texts={header.includes_kv ? happens.staysTexts : [...happens.staysTexts, happens.databaseOnly]}
                />
              )}
              <Part icon={IconDoorExit} color="orange" title={happens.after} texts={happens.afterTexts} />
            </>
          ) : (
            <>
              <Part icon={IconArrowBackUp} color="orange" title={happens.replaced} texts={happens.vaultOnly} />
              <Part icon={IconDoorExit} color="orange" title={happens.after} texts={[happens.vaultAfter]} />
            </>
          )}
          <Text size="sm">{happens.meanwhile}</Text>
        </Stack>
        {header.includes_kv ? (
          <Checkbox
            label={happens.replaceCA}
            description={happens.replaceCAHint}
            checked={replaceCA}
            onChange={(e) => setReplaceCA(e.currentTarget.checked)}
          />
        ) : null}
        <TextInput
          label={words.type(words.word)}
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          value={typed}
          onChange={(e) => setTyped(e.currentTarget.value)}
        />
        <AttemptAlert attempt={attempt} />
        <Group justify="flex-end" gap="xs">
          <Button variant="subtle" color="gray" disabled={busy} onClick={onClose}>
            {t.common.actions.cancel}
          </Button>
          <Button variant="default" disabled={busy} onClick={onBack}>
            {words.back}
          </Button>
          <Button type="submit" color="red.8" loading={busy} disabled={!ready}>
            {words.begin}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

type PartProps = {
  icon: ComponentType<{ size?: number }>;
  color: string;
  title: string;
  texts: readonly string[];
};

function Part({ icon: Sign, color, title, texts }: PartProps) {
  return (
    <Group gap="sm" wrap="nowrap" align="flex-start">
      <ThemeIcon variant="light" color={color} size={30} radius="xl" aria-hidden>
        <Sign size={17} />
      </ThemeIcon>
      <div>
        <Text component="h3" size="sm" fw={600} m={0}>
          {title}
        </Text>
        <List size="sm">
          {texts.map((text) => (
            <List.Item key={text}>{text}</List.Item>
          ))}
        </List>
      </div>
    </Group>
  );
}
