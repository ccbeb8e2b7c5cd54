import { Button, Group, Progress, Stack, Text } from "@mantine/core";
import { IconBan } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { dangerous } from "../admin/colors";
import { Paged } from "../admin/paged";
import type { Selection } from "../admin/selection";
import { SelectionBar } from "../admin/selectionbar";
import { api, ask } from "../api/client";
import { Problem } from "../api/problem";
import { type Attempt, useAttempt } from "../parts/attempt";
import type { Count } from "../parts/count";
import { Dialog, Form } from "../parts/form";
import { TextLink } from "../parts/link";
import { done, explain } from "../parts/problem";
import { Warning } from "../parts/warning";
import { useLanguage, useText } from "../text";
import type { Certificate } from "./queries";
import { ReasonSelect } from "./reason";
import type { Reason } from "./reasons";
import { type Fate, revocable, revokeMany } from "./revokemany";

/** What can be selected at once: so many a list is counted to. */
const most = 10_000;

type Props = {
  selection: Selection<Certificate>;
  /** How many match the filters. */
  matching: Count | undefined;
  /** all asks for them. */
  all: () => Promise<Certificate[]>;
};

/** ManyBar revokes the selected certificates. It lies over the list's end, so that nothing moves. */
export function ManyBar({ selection, matching, all }: Props) {
  const t = useText();
  const words = t.certificates.many;
  const format = new Intl.NumberFormat(useLanguage());
  const [asked, setAsked] = useState<readonly Certificate[]>([]);
  const [opened, setOpened] = useState(false);
  const attempt = useAttempt();
  const { chosen } = selection;
  const more = matching?.total_is_exact && matching.total <= most && matching.total > chosen.length;
  return (
    <>
      <SelectionBar
        selection={selection}
        label={words.region}
        selected={t.stock.bulk.selected(format.format(chosen.length))}
        clear={t.stock.bulk.clear}
        more={more && t.stock.bulk.all(format.format(matching.total))}
        all={all}
      >
        <Button
          size="xs"
          variant="default"
          c={dangerous}
          leftSection={<IconBan size={16} aria-hidden />}
          onClick={() => {
            setAsked(chosen);
            setOpened(true);
          }}
        >
          {t.certificates.revoke.open}
        </Button>
      </SelectionBar>
      <Dialog
        attempt={attempt}
        opened={opened}
        onClose={() => setOpened(false)}
        closeOnClickOutside
        size="lg"
        title={words.title(asked.length)}
      >
        <Body certificates={asked} attempt={attempt} onClose={() => setOpened(false)} onDone={selection.clear} />
      </Dialog>
    </>
  );
}

type BodyProps = { certificates: readonly Certificate[]; attempt: Attempt; onClose: () => void; onDone: () => void };

/** Body is the question, then what failed. */
function Body({ certificates, attempt, onClose, onDone }: BodyProps) {
  const summary = useSummary();
  const [fates, setFates] = useState<Fate[] | null>(null);
  const finish = (all: Fate[]) => {
    onDone();
    if (all.some((f) => f.fate instanceof Problem)) {
      setFates(all);
      return;
    }
    done(summary(all));
    onClose();
  };
  return fates ? (
    <Failures fates={fates} onClose={onClose} />
  ) : (
    <Ask certificates={certificates} attempt={attempt} onClose={onClose} onFates={finish} />
  );
}

type AskProps = Omit<BodyProps, "onDone"> & { onFates: (fates: Fate[]) => void };

function Ask({ certificates, attempt, onClose, onFates }: AskProps) {
  const t = useText();
  const words = t.certificates.many;
  const queries = useQueryClient();
  const [reason, setReason] = useState<Reason>("unspecified");
  const [kept] = useState(() => new Map<string, Fate>());
  const [made, setMade] = useState(0);
  const able = certificates.filter(revocable);
  const revoke = (serial_number: string) =>
    ask(
      api.POST("/api/certificates/{serial_number}/revoke", { params: { path: { serial_number } }, body: { reason } }),
    );
  const submit = async () => {
    try {
      onFates(await revokeMany(able, revoke, kept, setMade));
    } finally {
      void queries.invalidateQueries(); // also where some were revoked before it broke off
    }
  };
  return (
    <Form
      attempt={attempt}
      onSubmit={submit}
      submit={t.certificates.revoke.action}
      disabled={able.length === 0}
      danger
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed" lineClamp={3}>
        {able
          .slice(0, 50)
          .map((c) => `${c.common_name} (${c.hwkey_serial})`)
          .join(", ")}
        {able.length > 50 ? " …" : ""}
      </Text>
      <Warning danger>{words.consequence}</Warning>
      <ReasonSelect value={reason} onChange={setReason} />
      {attempt.busy && able.length > 1 ? (
        <Progress.Root size="lg">
          <Progress.Section value={(made / able.length) * 100} aria-label={words.progress} />
        </Progress.Root>
      ) : null}
      {able.length < certificates.length ? (
        <Text size="sm" c="dimmed">
          {able.length === 0 ? words.noneCan : words.cannot(certificates.length - able.length)}
        </Text>
      ) : null}
    </Form>
  );
}

/** useSummary counts what became of the certificates. */
function useSummary() {
  const words = useText().certificates.many;
  return (fates: readonly Fate[]) => {
    const revoked = fates.filter((f) => f.fate === "revoked").length;
    const already = fates.filter((f) => f.fate === "already").length;
    const failed = fates.length - revoked - already;
    return [words.done(revoked), already > 0 ? words.already(already) : "", failed > 0 ? words.failed(failed) : ""]
      .filter(Boolean)
      .join(" · ");
  };
}

/** Failures names what failed, and why: that needs somebody. */
function Failures({ fates, onClose }: { fates: Fate[]; onClose: () => void }) {
  const t = useText();
  const words = t.certificates;
  const summary = useSummary();
  const failed = fates.filter((f) => f.fate instanceof Problem);
  return (
    <Stack>
      <Text size="sm" role="status">
        {summary(fates)}
      </Text>
      <Paged
        label={t.stock.bulk.results}
        rows={failed}
        rowKey={(f) => f.certificate.serial_number}
        none=""
        columns={[
          {
            id: "name",
            header: words.columns.name,
            width: 160,
            cell: ({ certificate: c }) => (
              <TextLink to="/certificates/$serial" params={{ serial: c.serial_number }}>
                {c.common_name}
              </TextLink>
            ),
          },
          { id: "detail", header: t.stock.bulk.columns.detail, cell: (f) => explain(f.fate).detail },
        ]}
      />
      <Group justify="flex-end">
        <Button data-autofocus onClick={onClose}>
          {t.common.actions.close}
        </Button>
      </Group>
    </Stack>
  );
}
