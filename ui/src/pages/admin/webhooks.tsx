import { Button, Text } from "@mantine/core";
import { IconPlus } from "@tabler/icons-react";
import { useState } from "react";
import { CreateWebhook } from "../../admin/webhooks/create";
import { WebhookTable } from "../../admin/webhooks/table";
import { Page, Panel } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** Webhooks is the list of receivers that are told what happens. */
export function Webhooks() {
  const words = useText().webhooks;
  const may = useMay();
  const [creating, setCreating] = useState(false);
  return (
    <Page
      title={words.title}
      actions={
        may("create-webhook") ? (
          <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setCreating(true)}>
            {words.create}
          </Button>
        ) : null
      }
    >
      <Text size="sm" c="dimmed" maw={720}>
        {words.intro}
      </Text>
      <Panel>
        <WebhookTable onCreate={() => setCreating(true)} />
      </Panel>
      <CreateWebhook opened={creating} onClose={() => setCreating(false)} />
    </Page>
  );
}
