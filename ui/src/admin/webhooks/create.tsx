import { Modal } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { type Values, WebhookForm } from "./form";
import { SecretDialog } from "./secret";

const blank: Values = { url: "", description: "", actions: [], organization: null };

/** CreateWebhook makes a webhook and shows its signing secret this once. */
export function CreateWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useText();
  const words = t.webhooks;
  const me = useMe();
  const queries = useQueryClient();
  const recently = useRecent();
  const [secret, setSecret] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const create = async (values: Values) => {
    const body: Schema<"NewWebhook"> = {
      url: values.url,
      description: values.description,
      actions: values.actions,
    };
    // Absent it is the manager's own.
    if (me.role === "global_admin") body.organization_id = values.organization;
    const made = await recently(() => ask(api.POST("/api/admin/webhooks", { body })));
    setSecret(made.secret ?? null);
    onClose();
    void queries.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <>
      <Modal
        opened={opened}
        onClose={() => {
          if (!busy) onClose();
        }}
        closeOnEscape={!busy}
        closeOnClickOutside={false}
        size="lg"
        title={words.form.createTitle}
        closeButtonProps={{ "aria-label": t.common.actions.close, disabled: busy }}
      >
        <WebhookForm
          first={blank}
          withOrganization
          submit={words.form.submitCreate}
          busy={busy}
          onBusy={setBusy}
          onSubmit={create}
          onCancel={onClose}
        />
      </Modal>
      <SecretDialog title={words.secret.createdTitle} value={secret} onDone={() => setSecret(null)} />
    </>
  );
}
