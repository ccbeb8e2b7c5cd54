import { Radio, Select, Stack, Text, TextInput } from "@mantine/core";
import { api, ask, type Schema } from "../../api/client";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { useForm } from "../../parts/useform";
import { useText } from "../../text";
import { useChange } from "./change";

type Body = Schema<"NewCA">;
type Parent = Body["parent"];

/** Asked is for what the dialog was opened, and who signs then, unless somebody chooses otherwise; null: it is closed. */
export type Asked = { what: "ownRoot" | "renew"; parent: Parent } | null;

const parents: readonly Parent[] = ["external", "self"];
const keyTypes = ["rsa-2048", "rsa-3072", "rsa-4096", "ec-p256", "ec-p384"] as const;

/** RequestDialog asks for another CA. */
export function RequestDialog({ asked, onClose }: { asked: Asked; onClose: () => void }) {
  const words = useText().cas.request;
  const attempt = useAttempt();
  return (
    <Dialog
      attempt={attempt}
      opened={asked !== null}
      onClose={onClose}
      title={asked?.what === "ownRoot" ? words.ownRootTitle : words.renewTitle}
    >
      {asked ? <RequestForm parent={asked.parent} attempt={attempt} onClose={onClose} /> : null}
    </Dialog>
  );
}

function RequestForm({ parent, attempt, onClose }: { parent: Parent; attempt: Attempt; onClose: () => void }) {
  const words = useText().cas.request;
  const change = useChange();
  const form = useForm(attempt, { parent, subject: "", key_type: "" });
  const external = form.values.parent === "external";
  const request = async () => {
    const { subject, key_type, ...rest } = form.values;
    const body: Body = {
      ...rest,
      ...(subject.trim() && { subject: subject.trim() }),
      ...(key_type && { key_type: key_type as NonNullable<Body["key_type"]> }),
    };
    await change(() => ask(api.POST("/api/admin/cas", { body })), external ? words.requested : words.created);
    onClose();
  };
  return (
    <Form attempt={attempt} onSubmit={request} submit={external ? words.submit : words.create} onCancel={onClose}>
      <Text size="sm">{words.text}</Text>
      <Radio.Group label={words.parent} {...form.getInputProps("parent")}>
        <Stack gap="xs" mt={6}>
          {parents.map((value) => (
            <Radio
              key={value}
              value={value}
              label={words[value]}
              description={words[`${value}Hint`]}
              data-autofocus={value === parent || undefined}
            />
          ))}
        </Stack>
      </Radio.Group>
      <TextInput
        label={words.subject}
        description={words.subjectHint}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        {...form.getInputProps("subject")}
      />
      <Select
        label={words.keyType}
        data={[
          { value: "", label: words.sameKeyType },
          ...keyTypes.map((value) => ({ value, label: value.toUpperCase() })),
        ]}
        allowDeselect={false}
        {...form.getInputProps("key_type")}
        onChange={(value) => form.setFieldValue("key_type", value ?? "")}
      />
    </Form>
  );
}
