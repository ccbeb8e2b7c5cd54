import { Button, Group, Modal, Text } from "@mantine/core";
import { IconKey, IconPencil, IconPlayerPause, IconPlayerPlay, IconTrash } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
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
  const t = useText();
  const words = t.webhooks;
  const may = useMay();
  const queries = useQueryClient();
  const navigate = useNavigate();
  const recently = useRecent();
  const [open, setOpen] = useState<"edit" | "pause" | "rotate" | "delete" | null>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
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
      <Modal
        opened={open === "edit"}
        onClose={() => {
          if (!busy) close();
        }}
        closeOnEscape={!busy}
        closeOnClickOutside={false}
        size="lg"
        title={words.form.editTitle}
        closeButtonProps={{ "aria-label": t.common.actions.close, disabled: busy }}
      >
        <WebhookForm
          first={{ ...webhook, organization: webhook.organization_id }}
          withOrganization={false}
          submit={words.form.submitEdit}
          busy={busy}
          onBusy={setBusy}
          onSubmit={edit}
          onCancel={close}
        />
      </Modal>
      <ConfirmDialog
        opened={open === "pause"}
        onClose={close}
        onConfirm={pause}
        title={words.pause.title}
        action={words.actions.pause}
      >
        <Text size="sm">{words.pause.text}</Text>
      </ConfirmDialog>
      <ConfirmDialog
        opened={open === "rotate"}
        onClose={close}
        onConfirm={rotate}
        title={words.rotate.title}
        action={words.actions.rotate}
        danger
      >
        <Text size="sm">{words.rotate.text}</Text>
      </ConfirmDialog>
      <ConfirmDialog
        opened={open === "delete"}
        onClose={close}
        onConfirm={remove}
        title={words.remove.title}
        action={words.actions.delete}
        danger
      >
        <Text size="sm">{words.remove.text}</Text>
      </ConfirmDialog>
      <SecretDialog title={words.secret.rotatedTitle} value={secret} onDone={() => setSecret(null)} />
    </>
  );
}
