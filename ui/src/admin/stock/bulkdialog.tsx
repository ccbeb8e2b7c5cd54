import { Button, Group, Progress, Stack, Text, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { Problem } from "../../api/problem";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { TextLink } from "../../parts/link";
import { identified } from "../../parts/person";
import { done, explain } from "../../parts/problem";
import { Warning } from "../../parts/warning";
import { useRecent } from "../../session/recent";
import { type Catalogue, useText } from "../../text";
import { Paged } from "../paged";
import { OrganizationSelect, PersonSelect } from "../pick";
import { changed } from "../queries";
import { changeMany } from "./bulk";
import { bodyOf, can, losers, type Step, sharedOrganization } from "./change";

type Token = Schema<"HWKey">;
type Result = Schema<"BulkResult">;
/** Job is a step that was chosen, with the tokens of that moment. */
export type Job = { step: Step; tokens: readonly Token[] };
type Props = { opened: boolean; job: Job | null; onClose: () => void; onDone: () => void };

/** BulkDialog asks before it changes many tokens, and then says what became of each. */
export function BulkDialog({ opened, job, onClose, onDone }: Props) {
  const words = useText().stock.bulk;
  const attempt = useAttempt();
  const kind = job ? (job.step.kind === "status" ? job.step.status : job.step.kind) : null;
  return (
    <Dialog
      attempt={attempt}
      opened={opened}
      onClose={onClose}
      closeOnClickOutside
      size="lg"
      title={job && kind ? words.title[kind](job.tokens.length) : ""}
    >
      {job ? <Body {...job} attempt={attempt} onClose={onClose} onDone={onDone} /> : null}
    </Dialog>
  );
}

type BodyProps = Job & { attempt: Attempt; onClose: () => void; onDone: () => void };

/** Body is the question, then the results. */
function Body({ onDone, ...job }: BodyProps) {
  const words = useText().stock.bulk;
  const [results, setResults] = useState<Result[] | null>(null);
  const finish = (answer: Result[]) => {
    if (answer.every((r) => r.result !== "failed")) {
      done(summary(words, answer));
      job.onClose();
    } else {
      setResults(answer);
    }
    onDone();
  };
  return results ? <Results results={results} onClose={job.onClose} /> : <Ask {...job} onResults={finish} />;
}

type AskProps = Omit<BodyProps, "onDone"> & { onResults: (results: Result[]) => void };

function Ask({ step, tokens, attempt, onClose, onResults }: AskProps) {
  const t = useText();
  const words = t.stock.bulk;
  const queries = useQueryClient();
  const recently = useRecent();
  const [chosen, setChosen] = useState<number>();
  const able = tokens.filter((token) => can(token, step)).length;
  const lose = losers(tokens, step, chosen);
  const status = step.kind === "status" ? step.status : null;
  const danger = lose > 0 || status === "lost" || status === "retired";
  const serials = tokens.map((token) => token.serial);
  const [reason, setReason] = useState("");
  const [kept] = useState(() => new Map<string, Result>());
  const [made, setMade] = useState(0);
  const change = bodyOf(step, serials, chosen);
  const body = change && { ...change, ...(reason.trim() && { reason: reason.trim() }) };

  const submit = async () => {
    if (!body) return;
    const send = async (part: typeof body) => (await ask(api.POST("/api/hwkey/bulk", { body: part }))).results;
    const results = await changeMany(body, send, recently, kept, setMade);
    void changed(queries);
    onResults(results);
  };

  return (
    <Form
      attempt={attempt}
      onSubmit={submit}
      submit={step.kind === "status" ? words.status[step.status] : words[step.kind]}
      disabled={!body || able === 0}
      danger={danger}
      onCancel={onClose}
    >
      <Text size="sm" c="dimmed" lineClamp={3}>
        {tokens
          .slice(0, 50)
          .map((token) => (token.owner ? `${token.serial} (${identified(token.owner)})` : token.serial))
          .join(", ")}
        {serials.length > 50 ? " …" : ""}
      </Text>
      {step.kind === "assign" ? (
        <PersonSelect
          autoFocus
          required
          activeOnly
          organizationId={sharedOrganization(tokens)}
          label={words.person}
          value={chosen}
          onChange={setChosen}
        />
      ) : null}
      {step.kind === "move" ? (
        <OrganizationSelect
          autoFocus
          required
          activeOnly
          label={words.organization}
          value={chosen}
          onChange={setChosen}
        />
      ) : null}
      <Text size="sm">{words.means[status ?? (step.kind === "status" ? "in_stock" : step.kind)]}</Text>
      {lose > 0 ? <Warning>{tokens.length === 1 ? words.newOwnerOne : words.newOwner(lose)}</Warning> : null}
      {step.kind === "assign" && tokens.some((token) => token.status === "suspended") ? (
        <Text size="sm">{words.staySuspended}</Text>
      ) : null}
      <TextInput
        label={t.common.optional(words.reason)}
        description={words.reasonHint}
        maxLength={256}
        value={reason}
        error={attempt.field("reason")}
        onChange={(e) => setReason(e.currentTarget.value)}
      />
      {attempt.busy && tokens.length > 1 ? (
        <Progress.Root size="lg">
          <Progress.Section value={(made / tokens.length) * 100} aria-label={words.progress} />
        </Progress.Root>
      ) : null}
      {able < tokens.length ? (
        <Text size="sm" c="dimmed">
          {able === 0 ? words.noneCan : words.cannot(tokens.length - able)}
        </Text>
      ) : null}
    </Form>
  );
}

/** summary counts what became of the tokens. */
function summary(words: Catalogue["stock"]["bulk"], results: Result[]): string {
  const of = (result: Result["result"]) => results.filter((r) => r.result === result).length;
  return [
    words.done(of("updated")),
    of("unchanged") > 0 ? words.unchanged(of("unchanged")) : "",
    of("failed") > 0 ? words.failed(of("failed")) : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** Results names what failed, and why: that needs somebody. Of the others it tells how many they are. */
function Results({ results, onClose }: { results: Result[]; onClose: () => void }) {
  const t = useText();
  const words = t.stock.bulk;
  const [failed] = useState(() => results.filter((r) => r.result === "failed"));
  return (
    <Stack>
      <Text size="sm" role="status">
        {summary(words, results)}
      </Text>
      <Paged
        label={words.results}
        rows={failed}
        rowKey={(r) => r.serial}
        none=""
        columns={[
          {
            id: "serial",
            header: words.columns.serial,
            width: 130,
            cell: (r) => (
              <TextLink to="/tokens/$serial" params={{ serial: r.serial }} className="mono">
                {r.serial}
              </TextLink>
            ),
          },
          { id: "detail", header: words.columns.detail, cell: (r) => explain(new Problem(422, r)).detail },
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
