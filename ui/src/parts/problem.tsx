import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useEffect } from "react";
import { Problem, Unreachable } from "../api/problem";
import { Cancelled } from "../session/line";
import { type Catalogue, localeNow, texts, useLanguage, useText, whole } from "../text";
import type { Attempt } from "./attempt";
import { inOne, type Told, told } from "./explain";
import { Warning } from "./warning";

/** of is what a person is told of an error; null: it stands below the shown fields already. */
function of(error: unknown, t: Catalogue, language: string, shown?: readonly string[]): Told | null {
  if (error instanceof Problem) return told(error, t, language, shown);
  const words = t.common.problem;
  const detail = error instanceof Unreachable ? words[error.peer] : words.unexpected;
  return { title: undefined, detail, fields: [] };
}

const requestOf = (error: unknown) => (error instanceof Problem ? error.requestId : "");

/** explain gives what a person is told of an error, in one text. title: it has one of its own. */
export function explain(error: unknown): { detail: string; requestId: string; title?: string } {
  const said = of(error, texts(), localeNow());
  const requestId = requestOf(error);
  if (!said) return { detail: "", requestId };
  return { detail: inOne(said), requestId, ...(said.title && { title: said.title }) };
}

type AlertProps = {
  error: unknown;
  onRetry?: () => void;
  title?: string;
  /** The fields of a form below which it stands what is wrong with them. */
  shown?: readonly string[] | undefined;
};

/** ProblemAlert shows an error with its detail, its fields and its request id. */
export function ProblemAlert({ error, onRetry, title, shown }: AlertProps) {
  const t = useText();
  const said = of(error, t, useLanguage(), shown);
  const requestId = requestOf(error);
  // Before the frame not all words for it may be there yet: until they are, it is said as the server does.
  useEffect(() => {
    whole().catch(() => {});
  }, []);
  if (!said) return null;
  return (
    <Warning
      danger
      role="alert"
      title={title ?? said.title ?? (onRetry ? t.common.problem.unloaded : t.common.problem.title)}
    >
      <Stack gap={6}>
        {said.detail ? <Text size="sm">{said.detail}</Text> : null}
        {said.fields.map(({ name, label, joint, text }) => (
          <Text size="sm" key={`${name}${text}`}>
            {label ?? <span className="mono">{name}</span>}
            {joint + text}
          </Text>
        ))}
        {requestId ? (
          <Text size="xs" c="dimmed">
            {t.common.problem.requestId} <span className="mono">{requestId}</span>
          </Text>
        ) : null}
        {onRetry ? (
          <Group>
            <Button size="xs" variant="default" onClick={onRetry}>
              {t.common.actions.retry}
            </Button>
          </Group>
        ) : null}
      </Stack>
    </Warning>
  );
}

/** AttemptAlert shows what went wrong with an attempt, except what stands below its fields. */
export function AttemptAlert({ attempt: { problem, shown } }: { attempt: Pick<Attempt, "problem" | "shown"> }) {
  return problem ? <ProblemAlert error={problem} shown={shown} /> : null;
}

/** tell shows an error as a notification, for actions without a place of their own. */
export function tell(error: unknown): void {
  if (error instanceof Cancelled) return;
  const { detail, requestId, title } = explain(error);
  const t = texts().common.problem;
  notifications.show({
    color: "red",
    title: title ?? t.title,
    message: requestId ? `${detail} (${t.requestId} ${requestId})` : detail,
    autoClose: 15_000,
    closeButtonProps: { "aria-label": texts().common.actions.close },
  });
}

/** done shows that something worked. */
export function done(message: string): void {
  notifications.show({ message, closeButtonProps: { "aria-label": texts().common.actions.close } });
}

/** warn shows what somebody has to know beside that it worked, long enough to read. */
export function warn(message: string): void {
  notifications.show({
    color: "orange",
    message,
    autoClose: 15_000,
    closeButtonProps: { "aria-label": texts().common.actions.close },
  });
}
