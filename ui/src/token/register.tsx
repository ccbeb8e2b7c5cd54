import { type ComboboxItem, Select, TextInput } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Connected } from "../agent/state";
import { api, ask } from "../api/client";
import { useAttempt } from "../parts/attempt";
import { ConfirmDialog } from "../parts/confirm";
import { called } from "../parts/person";
import { done, explain, ProblemAlert } from "../parts/problem";
import { useRecent } from "../session/recent";
import { useText } from "../text";
import type { Device } from "./next";

type Props = {
  /** The plugged-in token that is to be put on record. */
  token: Pick<Connected, "serial" | "model" | "firmware_version" | "form_factor">;
  /** Its record, when it is in stock and only lacks an owner. */
  device?: Device | undefined;
  opened: boolean;
  onClose: () => void;
  onRegistered: (device: Device) => void;
};

/** RegisterDialog puts a plugged-in token on record for somebody, or gives one of the stock to somebody. */
export function RegisterDialog({ token, device, opened, onClose, onRegistered }: Props) {
  const t = useText();
  const words = t.tokens.register;
  const queries = useQueryClient();
  const [owner, setOwner] = useState<ComboboxItem | null>(null);
  const recently = useRecent();
  const [search, setSearch] = useState("");
  const [label, setLabel] = useState(device?.label ?? "");
  const attempt = useAttempt();
  // What stands in the field after a choice is no search.
  const [q] = useDebouncedValue(search === owner?.label ? "" : search, 200);
  const people = useQuery({
    queryKey: ["users", "pick", q],
    enabled: opened,
    queryFn: () => ask(api.GET("/api/admin/users", { params: { query: { q, limit: 20 } } })),
  });
  const found = (people.data?.items ?? []).map((u) => ({ value: String(u.id), label: `${called(u)} · ${u.email}` }));
  const data = owner && !found.some((o) => o.value === owner.value) ? [...found, owner] : found;

  const submit = async () => {
    const saved = await save();
    await queries.invalidateQueries({ queryKey: ["hwkey", token.serial] });
    void queries.invalidateQueries({ queryKey: ["hwkeys"] });
    done(words.done);
    onRegistered(saved);
  };
  const save = () => {
    const { serial, model, firmware_version, form_factor } = token;
    const body = { label: label.trim(), owner_id: Number(owner?.value) };
    if (device) return recently(() => ask(api.PATCH("/api/hwkey/{serial}", { params: { path: { serial } }, body })));
    return ask(api.POST("/api/hwkey", { body: { serial, model, firmware_version, form_factor, ...body } }));
  };
  return (
    <ConfirmDialog
      attempt={attempt}
      opened={opened}
      onClose={onClose}
      onConfirm={submit}
      title={words.title(token.serial)}
      action={words.submit}
      disabled={!owner}
    >
      <Select
        label={words.owner}
        placeholder={words.ownerHint}
        data={data}
        value={owner?.value ?? null}
        onChange={(_, option) => setOwner(option)}
        allowDeselect={false}
        selectFirstOptionOnChange
        searchable
        searchValue={search}
        onSearchChange={setSearch}
        filter={({ options: all }) => all}
        nothingFoundMessage={
          people.isFetching ? t.common.loading : people.isError ? explain(people.error).detail : words.nobody
        }
        error={attempt.field("owner_id")}
        data-autofocus
      />
      {people.isError ? <ProblemAlert error={people.error} onRetry={() => void people.refetch()} /> : null}
      <TextInput
        label={words.name}
        placeholder={words.nameHint}
        value={label}
        onChange={(e) => setLabel(e.currentTarget.value)}
        error={attempt.field("label")}
        maxLength={128}
      />
    </ConfirmDialog>
  );
}
