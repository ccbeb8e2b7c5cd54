import { CreatingPage } from "../../admin/create";
import { CreateWebhook } from "../../admin/webhooks/create";
import { WebhookTable } from "../../admin/webhooks/table";
import { Panel } from "../../parts/page";
import { useText } from "../../text";

/** Webhooks is the list of receivers that are told what happens. */
export function Webhooks() {
  return (
    <CreatingPage
      words={useText().webhooks}
      operation="create-webhook"
      wish="webhook"
      dialog={(dialog) => <CreateWebhook {...dialog} />}
    >
      {(onCreate) => (
        <Panel>
          <WebhookTable onCreate={onCreate} />
        </Panel>
      )}
    </CreatingPage>
  );
}
