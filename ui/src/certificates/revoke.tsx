import { Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask } from "../api/client";
import { isProblem } from "../api/problem";
import { ConfirmDialog } from "../parts/confirm";
import { identified } from "../parts/person";
import { done } from "../parts/problem";
import { Warning } from "../parts/warning";
import { useText } from "../text";
import type { Certificate } from "./queries";
import { ReasonSelect } from "./reason";
import type { Reason } from "./reasons";

type Props = { certificate: Certificate; opened: boolean; onClose: () => void };

/** useRevoke revokes, and tells what then is the case. */
function useRevoke(certificate: Certificate, said: { done: string; already: string }) {
  const queries = useQueryClient();
  return async (reason: Reason) => {
    try {
      await ask(
        api.POST("/api/certificates/{serial_number}/revoke", {
          params: { path: { serial_number: certificate.serial_number } },
          body: { reason },
        }),
      );
      done(said.done);
    } catch (error) {
      // Somebody was quicker, or another tab: what was wanted is the case.
      if (!isProblem(error, "conflict")) throw error;
      done(said.already);
    } finally {
      // Also when it failed: it may stand on record without being published yet.
      void queries.invalidateQueries();
    }
  };
}

/** RevokeDialog says what a revocation means, asks why, and revokes. */
export function RevokeDialog({ certificate, opened, onClose }: Props) {
  const t = useText();
  const words = t.certificates.revoke;
  const revoke = useRevoke(certificate, words);
  const [reason, setReason] = useState<Reason>("unspecified");

  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={() => revoke(reason)}
      title={words.title(certificate.common_name)}
      action={words.action}
      danger
    >
      <Stack gap="sm">
        <Concerned certificate={certificate} />
        <Warning danger>{words.consequence}</Warning>
        <ReasonSelect value={reason} onChange={setReason} />
        {reason === "keyCompromise" ? <Text size="sm">{words.lost}</Text> : null}
      </Stack>
    </ConfirmDialog>
  );
}

/** Concerned names the token, its owner and the certificate's serial number. */
function Concerned({ certificate: c }: { certificate: Certificate }) {
  const words = useText().certificates;
  return (
    <Text size="sm">
      {[words.slots[c.slot], words.onToken(c.hwkey_serial), c.owner && identified(c.owner)].filter(Boolean).join(" · ")}
      <br />
      <span className="mono">{c.serial_number}</span>
    </Text>
  );
}

/** CompromiseDialog reports that the key of a certificate that has ended is in somebody else's hands. */
export function CompromiseDialog({ certificate, opened, onClose }: Props) {
  const words = useText().certificates.compromise;
  const revoke = useRevoke(certificate, words);
  return (
    <ConfirmDialog
      opened={opened}
      onClose={onClose}
      onConfirm={() => revoke("keyCompromise")}
      title={words.title(certificate.common_name)}
      action={words.action}
      danger
    >
      <Stack gap="sm">
        <Concerned certificate={certificate} />
        <Warning danger>{words.consequence}</Warning>
        <Text size="sm">{words.lost}</Text>
        <Text size="xs" c="dimmed">
          {words.public}
        </Text>
      </Stack>
    </ConfirmDialog>
  );
}
