import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { api, ask } from "../../api/client";
import { ConfirmDialog } from "../../parts/confirm";
import { done } from "../../parts/problem";
import { When } from "../../parts/when";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import type { Key } from "./state";

/** RevokeKey asks before a key is made worthless, and says when it was last of use. */
export function RevokeKey({ apiKey, onClose }: { apiKey: Key | null; onClose: () => void }) {
  const words = useText().keys.revoke;
  const queries = useQueryClient();
  const recently = useRecent();
  // The dialog keeps its words while it fades away.
  const [key, setKey] = useState(apiKey);
  useEffect(() => {
    if (apiKey) setKey(apiKey);
  }, [apiKey]);

  const revoke = async () => {
    if (!key) return;
    await recently(() => ask(api.DELETE("/api/admin/api-keys/{id}", { params: { path: { id: key.id } } })));
    done(words.done);
    await queries.invalidateQueries({ queryKey: ["api-keys"] });
  };
  return (
    <ConfirmDialog
      opened={apiKey !== null}
      onClose={onClose}
      onConfirm={revoke}
      title={words.title(key?.name ?? "")}
      action={words.action}
      danger
    >
      <Text size="sm">{words.text}</Text>
      <Text size="sm">
        {key?.last_used_at ? (
          <>
            {words.lastUsed} <When at={key.last_used_at} />.
          </>
        ) : (
          words.unused
        )}
      </Text>
    </ConfirmDialog>
  );
}
