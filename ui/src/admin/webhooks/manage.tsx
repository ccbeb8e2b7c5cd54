import { Button, Group, Text } from "@mantine/core";
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { ConfirmDialog } from "../../parts/confirm";
import { Dialog } from "../../parts/form";
import { done, tell } from "../../parts/problem";
import { useMay } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { type Values, WebhookForm } from "./form";
import { SecretDialog } from "./secret";
import type { Webhook } from "./table";

type Patch = Schema<"Update-webhookRequest">;

/** Manage holds what can be done with a webhook. */
export function Manage({ webhook }: { webhook: Webhook }) {
  const words = useText().webhooks;
  const may = useMay();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const recently = useRecent();
  const [open, setOpen] = useState<"edit" | "pause" | "rotate" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const attempt = useAttempt();
  const close = () => setOpen(null);
  const { id } = webhook;

  const patch = (body: Patch) =>
    recently(() => ask(api.PATCH("/api/admin/webhooks/{id}", { params: { path: { id } }, body })));
  const refresh = () => queries.invalidateQueries({ queryKey: ["webhooks"] });
  const update = async (body: Patch) => {
    await patch(body);
    await refresh();
  };
  const resume = useMutation({
    mutationFn: () => update({ is_active: true }),
    onSuccess: () => done(words.pause.resumed),
    onError: tell,
  });
  const edit = async ({ url, description, actions }: Values) => {
    await update({ url, description, actions });
    close();
    done(words.form.saved);
  };
  const pause = async () => {
    await update({ is_active: false });
    done(words.pause.done);
  };
  const rotate = async () => {
    const changed = await patch({ rotate_secret: true });
    setSecret(changed.secret ?? null);
    void refresh();
  };
  const remove = async () => {
    await recently(() => ask(api.DELETE("/api/admin/webhooks/{id}", { params: { path: { id } } })));
    done(words.remove.done);
    await navigate({ to: "/admin/webhooks", replace: true });
    await queries.invalidateQueries({ queryKey: ["webhooks", "list"] });
  };

  const questions = [
    { step: "pause", task: pause, about: words.pause, danger: false },
    { step: "rotate", task: rotate, about: words.rotate, danger: true },
    { step: "delete", task: remove, about: words.remove, danger: true },
  ] as const;
  if (!may("update-webhook")) return null;
  return (
    <>
      <Group gap="xs">
        <Button variant="default" leftSection={<IconPencil size={16} aria-hidden />} onClick={() => setOpen("edit")}>
          {words.actions.edit}
        </Button>
        {webhook.is_active ? (
          <Button
            variant="default"
            leftSection={<IconPlayerPause size={16} aria-hidden />}
            onClick={() => setOpen("pause")}
          >
            {words.actions.pause}
          </Button>
        ) : (
          <Button
            leftSection={<IconPlayerPlay size={16} aria-hidden />}
            loading={resume.isPending}
            onClick={() => resume.mutate()}
          >
            {words.actions.resume}
          </Button>
        )}
        <Button variant="default" leftSection={<IconKey size={16} aria-hidden />} onClick={() => setOpen("rotate")}>
          {words.actions.rotate}
        </Button>
        <Button
          variant="default"
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={16} aria-hidden />}
          onClick={() => setOpen("delete")}
        >
          {words.actions.delete}
        </Button>
      </Group>
      <Dialog attempt={attempt} opened={open === "edit"} onClose={close} size="lg" title={words.form.editTitle}>
        <WebhookForm
          first={{
            url: webhook.url,
            description: webhook.description,
            actions: webhook.actions,
            organization_id: undefined,
          }}
          withOrganization={false}
          submit={words.form.submitEdit}
          attempt={attempt}
          onSubmit={edit}
          onCancel={close}
        />
      </Dialog>
      {questions.map(({ step, task, about, danger }) => (
        <ConfirmDialog
          key={step}
          opened={open === step}
          onClose={close}
          onConfirm={task}
          title={about.title}
          action={words.actions[step]}
          danger={danger}
        >
          <Text size="sm" className="mono">
            {webhook.url}
          </Text>
          <Text size="sm">{about.text}</Text>
        </ConfirmDialog>
      ))}
      <SecretDialog title={words.secret.rotatedTitle} value={secret} onDone={() => setSecret(null)} />
    </>
  );
}
