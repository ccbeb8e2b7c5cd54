import { Alert, Group, SegmentedControl, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { CreatingPage } from "../../admin/create";
import { CreateKey } from "../../admin/keys/create";
import { RevokeKey } from "../../admin/keys/revoke";
import type { Key } from "../../admin/keys/state";
import { KeyTable } from "../../admin/keys/table";
import { Panel } from "../../parts/page";
import { useText } from "../../text";

/** ApiKeys is the page of the keys that programs use. */
export function ApiKeys() {
  const words = useText().keys;
  const search: { show?: unknown } = useSearch({ strict: false });
  const navigate = useNavigate();
  const [revoking, setRevoking] = useState<Key | null>(null);
  const all = search.show === "all";
  const show = (value: string) =>
    void navigate({ to: "/admin/api-keys", search: value === "all" ? { show: "all" } : {} });

  return (
    <CreatingPage words={words} operation="create-api-key" wish="apiKey" dialog={(dialog) => <CreateKey {...dialog} />}>
      {(onCreate) => (
        <>
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
            <KeyTable all={all} onCreate={onCreate} onRevoke={setRevoking} />
          </Panel>
          <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />} title={words.limits.title}>
            <Text size="sm">{words.limits.text}</Text>
          </Alert>
          <RevokeKey apiKey={revoking} onClose={() => setRevoking(null)} />
        </>
      )}
    </CreatingPage>
  );
}
