import { Alert, Button, Group, SegmentedControl, Text } from "@mantine/core";
import { IconInfoCircle, IconPlus } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { CreateKey } from "../../admin/keys/create";
import { RevokeKey } from "../../admin/keys/revoke";
import type { Key } from "../../admin/keys/state";
import { KeyTable } from "../../admin/keys/table";
import { Page, Panel } from "../../parts/page";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";

/** ApiKeys is the page of the keys that programs use. */
export function ApiKeys() {
  const words = useText().keys;
  const may = useMay();
  const search: { show?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [creating, setCreating] = useState(false);
  const [revoking, setRevoking] = useState<Key | null>(null);
  const all = search.show === "all";
  const show = (value: string) =>
    void navigate({ to: "/admin/api-keys", search: value === "all" ? { show: "all" } : {}, replace: true });

  return (
    <Page
      title={words.title}
      actions={
        may("create-api-key") ? (
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
        <Group mb="sm">
          <SegmentedControl
            aria-label={words.show.label}
            value={all ? "all" : "active"}
            onChange={show}
            data={[
              { value: "active", label: words.show.active },
              { value: "all", label: words.show.all },
            ]}
          />
        </Group>
        <KeyTable all={all} onCreate={() => setCreating(true)} onRevoke={setRevoking} />
      </Panel>
      <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />} title={words.limits.title}>
        <Text size="sm">{words.limits.text}</Text>
      </Alert>
      <CreateKey opened={creating} onClose={() => setCreating(false)} />
      <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />
    </Page>
  );
}
