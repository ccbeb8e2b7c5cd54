import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { IconAlertTriangle, IconArrowRight, IconCircleCheck, IconDownload, IconInfoCircle } from "@tabler/icons-react";
import { type ComponentProps, useState } from "react";
import { save } from "../../api/client";
import { day, useMinute } from "../../parts/when";
import { type Catalogue, useLanguage, useText } from "../../text";
import { ActivateDialog, WithdrawDialog } from "./confirm";
import { fileOf } from "./files";
import { InstallDialog } from "./install";
import type { CA } from "./queries";
import { nameOf, rootOf, type Step, shorterFrom, stepOf } from "./step";

type Look = Pick<ComponentProps<typeof Alert>, "color" | "icon">;
const well: Look = { color: "accent", icon: <IconCircleCheck aria-hidden /> };
const worry: Look = { color: "orange", icon: <IconAlertTriangle aria-hidden /> };
const onward: Look = { color: "blue", icon: <IconArrowRight aria-hidden /> };
const quiet: Look = { color: "gray", icon: <IconInfoCircle aria-hidden /> };

const looks: Record<Step, Look> = {
  fine: well,
  renew: worry,
  awaited: worry,
  over: { ...worry, color: "red" },
  send: onward,
  distribute: onward,
  known: onward,
  retiring: quiet,
  ended: quiet,
};

/** textOf says what a CA needs next. */
function textOf(t: Catalogue, language: string, ca: CA, step: Step): string {
  const words = t.cas.next;
  switch (step) {
    case "fine":
      return words.fine(day(ca.renew_from ?? "", language));
    case "renew":
      return words.renew(day(shorterFrom(ca), language));
    case "distribute":
    case "known":
      return words[step](nameOf(rootOf(ca)?.subject ?? ""));
    case "retiring":
      return words.retiring(day(ca.last_ends_at ?? ca.not_after ?? "", language));
    default:
      return words[step];
  }
}

type Props = { ca: CA; all: readonly CA[]; onRenew: () => void };

/** NextStep says what to do with a CA, and has the buttons for it. */
export function NextStep({ ca, all, onRenew }: Props) {
  const t = useText();
  const language = useLanguage();
  useMinute();
  const step = stepOf(ca, all);
  return (
    <Alert variant="light" p="sm" {...looks[step]}>
      <Stack gap="sm">
        <Text size="sm" maw={820}>
          {textOf(t, language, ca, step)}
        </Text>
        <Actions ca={ca} all={all} step={step} onRenew={onRenew} />
      </Stack>
    </Alert>
  );
}

function Actions({ ca, all, step, onRenew }: Props & { step: Step }) {
  const words = useText().cas.actions;
  if (step === "renew" || step === "over") {
    return (
      <Group>
        <Button size="xs" onClick={onRenew}>
          {words.renew}
        </Button>
      </Group>
    );
  }
  if (ca.state === "requested") return <OfRequest ca={ca} />;
  if (ca.state === "ready" || ca.state === "retiring") return <OfOther ca={ca} all={all} />;
  return null;
}

function OfRequest({ ca }: { ca: CA }) {
  const words = useText().cas.actions;
  const [opened, setOpened] = useState<"install" | "withdraw" | null>(null);
  const close = () => setOpened(null);
  return (
    <Group gap="xs">
      <Download text={ca.csr ?? ""} type="application/pkcs10" file={fileOf(nameOf(ca.subject), "csr")}>
        {words.csr}
      </Download>
      <Button size="xs" onClick={() => setOpened("install")}>
        {words.install}
      </Button>
      <Button size="xs" variant="default" c="var(--mantine-color-error)" onClick={() => setOpened("withdraw")}>
        {words.withdraw}
      </Button>
      <InstallDialog ca={ca} opened={opened === "install"} onClose={close} />
      <WithdrawDialog ca={ca} opened={opened === "withdraw"} onClose={close} />
    </Group>
  );
}

function OfOther({ ca, all }: { ca: CA; all: readonly CA[] }) {
  const words = useText().cas.actions;
  const [opened, setOpened] = useState(false);
  const root = rootOf(ca);
  const ready = ca.state === "ready";
  return (
    <Group gap="xs">
      {ready && root ? (
        <Download text={root.pem} type="application/x-pem-file" file={fileOf(nameOf(root.subject), "pem")}>
          {words.root(nameOf(root.subject))}
        </Download>
      ) : null}
      <Button size="xs" variant={ready ? "filled" : "default"} onClick={() => setOpened(true)}>
        {ready ? words.activate : words.again}
      </Button>
      <ActivateDialog ca={ca} all={all} opened={opened} onClose={() => setOpened(false)} />
    </Group>
  );
}

function Download({ text, type, file, children }: { text: string; type: string; file: string; children: string }) {
  return (
    <Button
      size="xs"
      variant="default"
      leftSection={<IconDownload size={14} aria-hidden />}
      onClick={() => save(new Blob([text], { type }), file)}
    >
      {children}
    </Button>
  );
}
