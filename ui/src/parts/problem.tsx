import { Alert, Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Problem, Unreachable } from "../api/problem";
import { refusalOf, wrongOf } from "../license/refusal";
import { Cancelled } from "../session/line";
import { languageNow, texts, useText } from "../text";
import { day } from "./when";

/** explain gives what a person is told of an error. title: it has one of its own. */
export function explain(error: unknown): { detail: string; requestId: string; title?: string } {
  const t = texts().common.problem;
  if (error instanceof Problem) {
    const held = error.code === "recovery_required" ? t.held[String(error.params.reason)] : undefined;
    if (held) return { title: held.title, detail: held.text, requestId: error.requestId };
    if (error.code === "restore_running") {
      return { title: t.restoring.title, detail: t.restoring.text, requestId: error.requestId };
    }
    const licensing = refusalOf(error, texts().license, (at) => day(at, languageNow()));
    if (licensing) return { ...licensing, requestId: error.requestId };
    const wait = error.retryAfter !== null && error.retryAfter > 0 ? ` ${t.wait(error.retryAfter)}` : "";
    return { detail: error.detail + wait, requestId: error.requestId };
  }
  if (error instanceof Unreachable) return { detail: error.peer === "agent" ? t.agent : t.server, requestId: "" };
  return { detail: t.unexpected, requestId: "" };
}

/** ProblemAlert shows an error with its detail, its fields and its request id. */
export function ProblemAlert({ error, onRetry, title }: { error: unknown; onRetry?: () => void; title?: string }) {
  const t = useText();
  const { detail, requestId, title: own } = explain(error);
  const fields = error instanceof Problem ? error.fields : [];
  return (
    <Alert
      role="alert"
      color="red"
      variant="light"
      icon={<IconAlertTriangle aria-hidden />}
      title={title ?? own ?? t.common.problem.title}
    >
      <Stack gap={6}>
        <Text size="sm">{detail}</Text>
        {fields.map((f) => (
          <Text size="sm" key={`${f.field}${f.message}`}>
            <span className="mono">{f.field}</span>:{" "}
            {(error instanceof Problem && wrongOf(error, f, t.license)) || f.message}
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
    </Alert>
  );
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
