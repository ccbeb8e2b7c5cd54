import { Button, Menu, Text } from "@mantine/core";
import { IconChevronDown } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../api/client";
import { ConfirmDialog } from "../parts/confirm";
import { done } from "../parts/problem";
import { useGranted } from "../parts/wish";
import { useText } from "../text";
import { useNamed } from "./named";
import type { Device } from "./next";
import { statusesFor } from "./statuses";

type Next = Device["next_statuses"][number];

/** StatusActions offers what the server lets this person make of the token, and says what each means before it is done. */
export function StatusActions({ device }: { device: Device }) {
  const words = useText().tokens.status;
  const [chosen, setChosen] = useState<Next | null>(null);
  const statuses = statusesFor(device);
  useGranted("lost", () => setChosen("lost"), statuses.includes("lost"));
  const [only] = statuses;
  if (!only) return null;
  return (
    <>
      {statuses.length === 1 ? (
        <Button variant="default" onClick={() => setChosen(only)}>
          {words.actions[only]}
        </Button>
      ) : (
        <Menu position="bottom-start" shadow="md">
          <Menu.Target>
            <Button variant="default" rightSection={<IconChevronDown size={16} aria-hidden />}>
              {words.title}
            </Button>
          </Menu.Target>
          <Menu.Dropdown>
            {statuses.map((next) => (
              <Menu.Item key={next} onClick={() => setChosen(next)} color={final(next) ? "red" : undefined}>
                {words.actions[next]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      )}
      <StatusDialog device={device} next={chosen} onClose={() => setChosen(null)} />
    </>
  );
}

function final(next: Next): boolean {
  return next === "lost" || next === "retired";
}

/** StatusDialog says what a new status means, and sets it. */
function StatusDialog({ device, next, onClose }: { device: Device; next: Next | null; onClose: () => void }) {
  const words = useText().tokens.status;
  const queries = useQueryClient();
  const [last, setLast] = useState<Next>("lost");
  if (next && next !== last) setLast(next);
  const named = useNamed()(device);
  const change = async () => {
    const { serial } = device;
    await ask(api.PATCH("/api/hwkey/{serial}", { params: { path: { serial } }, body: { status: last } }));
    for (const queryKey of [["hwkey", serial], ["hwkeys"], ["certificates"]]) {
      void queries.invalidateQueries({ queryKey });
    }
    done(words.done[last](serial));
  };
  return (
    <ConfirmDialog
      opened={next !== null}
      onClose={onClose}
      onConfirm={change}
      title={words.ask[last](named)}
      action={words.actions[last]}
      danger={final(last)}
    >
      <Text size="sm">{words.meaning[last]}</Text>
    </ConfirmDialog>
  );
}
