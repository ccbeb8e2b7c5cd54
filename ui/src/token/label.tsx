import { ActionIcon, Button, Group, Text, TextInput } from "@mantine/core";
import { IconPencil } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useRef, useState } from "react";
import { api, ask } from "../api/client";
import { useAttempt } from "../parts/attempt";
import { AttemptAlert, done } from "../parts/problem";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import type { Device } from "./next";

/** Label is what a token is called; whoever may changes it in its place. */
export function Label({ device }: { device: Device }) {
  const words = useText().tokens.label;
  // Its owner may only report a token lost.
  const may = useMay()("register-hwkey");
  const [editing, setEditing] = useState(false);
  const pencil = useRef<HTMLButtonElement>(null);
  const close = () => {
    setEditing(false);
    // The field is gone, and the focus with it.
    setTimeout(() => pencil.current?.focus());
  };
  if (editing) return <Edit device={device} onClose={close} />;
  if (!device.label && !may) return null;
  return (
    <Group gap={4} wrap="nowrap" mih={28}>
      <Text fw={600} c={device.label ? undefined : "dimmed"} style={{ overflowWrap: "anywhere" }}>
        {device.label || words.none}
      </Text>
      {may ? (
        <ActionIcon ref={pencil} variant="subtle" color="gray" aria-label={words.edit} onClick={() => setEditing(true)}>
          <IconPencil size={16} aria-hidden />
        </ActionIcon>
      ) : null}
    </Group>
  );
}

function Edit({ device, onClose }: { device: Device; onClose: () => void }) {
  const t = useText();
  const words = t.tokens.label;
  const queries = useQueryClient();
  const attempt = useAttempt();
  const [label, setLabel] = useState(device.label);
  const { serial } = device;
  const save = async () => {
    const body = { label: label.trim() };
    if (body.label !== device.label) {
      queries.setQueryData(
        ["hwkey", serial],
        await ask(api.PATCH("/api/hwkey/{serial}", { params: { path: { serial } }, body })),
      );
      for (const queryKey of [["hwkey", serial], ["hwkey", "mine"], ["hwkeys"]]) {
        void queries.invalidateQueries({ queryKey });
      }
      done(words.saved);
    }
    onClose();
  };
  return (
    <form
      noValidate
      onSubmit={attempt.submit(save)}
      onKeyDown={(e) => {
        if (e.key === "Escape" && !attempt.busy) onClose();
      }}
    >
      <Group gap="xs" align="flex-start">
        <TextInput
          size="xs"
          aria-label={words.name}
          placeholder={words.hint}
          value={label}
          maxLength={128}
          autoFocus
          error={attempt.field("label")}
          onChange={(e) => setLabel(e.currentTarget.value)}
        />
        <Button type="submit" size="xs" loading={attempt.busy}>
          {t.common.actions.save}
        </Button>
        <Button size="xs" variant="default" disabled={attempt.busy} onClick={onClose}>
          {t.common.actions.cancel}
        </Button>
      </Group>
      <AttemptAlert attempt={attempt} />
    </form>
  );
}
