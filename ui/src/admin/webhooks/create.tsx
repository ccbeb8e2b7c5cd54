import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { useAttempt } from "../../parts/attempt";
import { Dialog } from "../../parts/form";
import { useMe } from "../../session/hooks";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { type Values, WebhookForm } from "./form";
import { SecretDialog } from "./secret";

const blank: Values = { url: "", description: "", actions: [], organization_id: undefined };

/** CreateWebhook makes a webhook and shows its signing secret this once. */
export function CreateWebhook({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useText().webhooks;
  const me = useMe();
  const queries = useQueryClient();
  const recently = useRecent();
  const [secret, setSecret] = useState<string | null>(null);
  const attempt = useAttempt();

  const create = async (values: Values) => {
    const body: Schema<"NewWebhook"> = {
      url: values.url,
      description: values.description,
      actions: values.actions,
    };
    // Absent it is the manager's own.
    if (me.role === "global_admin") body.organization_id = values.organization_id ?? null;
    const made = await recently(() => ask(api.POST("/api/admin/webhooks", { body })));
    setSecret(made.secret ?? null);
    onClose();
    void queries.invalidateQueries({ queryKey: ["webhooks"] });
  };
  return (
    <>
      <Dialog attempt={attempt} opened={opened} onClose={onClose} size="lg" title={words.form.createTitle}>
        <WebhookForm
          first={blank}
          withOrganization
          submit={words.form.submitCreate}
          attempt={attempt}
          onSubmit={create}
          onCancel={onClose}
        />
      </Dialog>
      <SecretDialog title={words.secret.createdTitle} value={secret} onDone={() => setSecret(null)} />
    </>
  );
}
