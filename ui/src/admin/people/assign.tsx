import { Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { api, ask, type Schema } from "../../api/client";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { called, identified } from "../../parts/person";
import { done } from "../../parts/problem";
import { useRecent } from "../../session/recent";
import { useText } from "../../text";
import { StockSelect } from "../pick";
import { changed } from "../queries";

type Props = { user: Schema<"User">; opened: boolean; onClose: () => void };

/** AssignToken gives a person a token that nobody has. */
export function AssignToken({ user, opened, onClose }: Props) {
  const words = useText().person.assign;
  const attempt = useAttempt();
  return (
    <Dialog attempt={attempt} opened={opened} onClose={onClose} title={words.title(identified(user))}>
      <Fields user={user} attempt={attempt} onClose={onClose} />
    </Dialog>
  );
}

function Fields({ user, attempt, onClose }: Omit<Props, "opened"> & { attempt: Attempt }) {
  const words = useText().person.assign;
  const queries = useQueryClient();
  const recently = useRecent();
  const [serial, setSerial] = useState<string>();
  const submit = async () => {
    if (!serial) return;
    const change = { params: { path: { serial } }, body: { owner_id: user.id } };
    await recently(() => ask(api.PATCH("/api/hwkey/{serial}", change)));
    done(words.done(serial, called(user)));
    void changed(queries);
    onClose();
  };
  return (
    <Form attempt={attempt} onSubmit={submit} submit={words.submit} disabled={!serial} onCancel={onClose}>
      <StockSelect
        autoFocus
        required
        organizationId={user.organization_id}
        label={words.token}
        description={words.tokenHint}
        value={serial}
        onChange={setSerial}
        error={attempt.field("owner_id")}
      />
      <Text size="sm">{words.means}</Text>
    </Form>
  );
}
