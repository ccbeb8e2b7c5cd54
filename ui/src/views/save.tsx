import { Checkbox, TextInput } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { api, ask } from "../api/client";
import { type Attempt, useAttempt } from "../parts/attempt";
import { Dialog, Form } from "../parts/form";
import { done } from "../parts/problem";
import { useForm } from "../parts/useform";
import { useMay, useMe } from "../session/hooks";
import { useText } from "../text";
import { type ViewList, viewsQuery } from "./queries";

type Props = { opened: boolean; onClose: () => void; list: ViewList; query: string };

/** SaveView asks for a view's name. Another one of that name is replaced. */
export function SaveView({ opened, onClose, ...view }: Props) {
  const words = useText().common.views;
  const attempt = useAttempt();
  return (
    <Dialog attempt={attempt} opened={opened} onClose={onClose} title={words.title}>
      {opened ? <Fields {...view} attempt={attempt} onClose={onClose} /> : null}
    </Dialog>
  );
}

type FieldsProps = Omit<Props, "opened"> & { attempt: Attempt };

function Fields({ list, query, attempt, onClose }: FieldsProps) {
  const t = useText();
  const words = t.common.views;
  const queries = useQueryClient();
  const manages = useMay()("list-users");
  const global = useMe().organization_id === null;
  const form = useForm(attempt, { name: "", shared: false });
  const save = async () => {
    const { name, shared } = form.values;
    await ask(api.POST("/api/views", { body: { list, query, name: name.trim(), shared } }));
    done(words.saved(name.trim()));
    await queries.invalidateQueries({ queryKey: viewsQuery.queryKey });
    onClose();
  };
  return (
    <Form attempt={attempt} onSubmit={save} submit={t.common.actions.save} onCancel={onClose}>
      <TextInput
        label={words.name}
        maxLength={64}
        required
        data-autofocus
        autoComplete="off"
        {...form.getInputProps("name")}
        error={attempt.field("name") ?? attempt.field("query")}
      />
      {manages ? (
        <Checkbox
          label={global ? words.shareGlobal : words.share}
          {...form.getInputProps("shared", { type: "checkbox" })}
        />
      ) : null}
    </Form>
  );
}
