import { Stack } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useAttempt } from "../../parts/attempt";
import { Dialog } from "../../parts/form";
import { Steps } from "../../parts/steps";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { restore } from "../calls";
import type { Header, Item } from "../types";
import { Choose } from "./choose";
import { Confirm } from "./confirm";
import { Password } from "./password";

type Props = { items: readonly Item[]; first: Item; onClose: () => void };

const stages = ["choose", "password", "confirm"] as const;

/** RestoreDialog guides to a restore: which backup, its password, what it changes, and a word that confirms it. */
export function RestoreDialog({ items, first, onClose }: Props) {
  const words = useText().backups.restore;
  const navigate = useNavigate();
  const recently = useRecent();
  const attempt = useAttempt();
  const [item, setItem] = useState(first);
  const [password, setPassword] = useState("");
  const [header, setHeader] = useState<Header | null>(null);
  const [stage, setStage] = useState<(typeof stages)[number]>("choose");
  const at = stages.indexOf(stage);
  const go = (next: typeof stage) => {
    attempt.clear();
    setStage(next);
  };
  const begin = async (replace_ca: boolean) => {
    await recently(() => restore({ key: item.key, password, replace_ca }));
    setPassword("");
    await navigate({ to: "/restoring" });
  };
  return (
    <Dialog opened attempt={attempt} onClose={onClose} size="lg" title={words.title}>
      <Stack>
        <Steps
          label={words.title}
          steps={stages.map((s, i) => ({ name: words.steps[s], how: i < at ? "done" : i > at ? "later" : "now" }))}
        />
        {stage === "choose" ? (
          <Choose
            items={items}
            item={item}
            onChange={(next) => {
              setItem(next);
              setPassword("");
            }}
            onNext={() => go("password")}
            onClose={onClose}
          />
        ) : null}
        {stage === "password" ? (
          <Password
            item={item}
            value={password}
            onChange={setPassword}
            attempt={attempt}
            onBack={() => go("choose")}
            onClose={onClose}
            onRight={(found) => {
              setHeader(found);
              go("confirm");
            }}
          />
        ) : null}
        {stage === "confirm" && header ? (
          <Confirm header={header} attempt={attempt} onBack={() => go("password")} onClose={onClose} onBegin={begin} />
        ) : null}
      </Stack>
    </Dialog>
  );
}
