import { Button, Group, SimpleGrid, Text, TextInput } from "@mantine/core";
import { IconUsb } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { type Connected, useAgent } from "../../agent/state";
import { api, ask, type Schema } from "../../api/client";
import { type Attempt, useAttempt } from "../../parts/attempt";
import { Dialog, Form } from "../../parts/form";
import { done } from "../../parts/problem";
import { useForm } from "../../parts/useform";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { OrganizationSelect, PersonSelect } from "../pick";
import { changed } from "../queries";

const texts = ["label", "model", "firmware_version", "form_factor"] as const;
type Props = { opened: boolean; organizationId: number | undefined; onClose: () => void };

/** RegisterToken puts one token on record. */
export function RegisterToken({ opened, organizationId, onClose }: Props) {
  const words = useText().stock.register;
  const attempt = useAttempt();
  return (
    <Dialog attempt={attempt} opened={opened} onClose={onClose} size="lg" title={words.title}>
      <Fields organizationId={organizationId} attempt={attempt} onClose={onClose} />
    </Dialog>
  );
}

type FieldsProps = { organizationId: number | undefined; attempt: Attempt; onClose: () => void };

function Fields({ organizationId: first, attempt, onClose }: FieldsProps) {
  const t = useText();
  const words = t.stock.register;
  const { optional } = t.common;
  const queries = useQueryClient();
  const manyOrganizations = useMay()("create-organization");
  const form = useForm(attempt, {
    serial: "",
    label: "",
    model: "",
    firmware_version: "",
    form_factor: "",
    owner_id: undefined as number | undefined,
    organization_id: first,
  });
  const { values } = form;

  const submit = async () => {
    const body: Schema<"NewHWKey"> = { serial: values.serial.trim() };
    for (const name of texts) if (values[name].trim()) body[name] = values[name].trim();
    if (values.owner_id) body.owner_id = values.owner_id;
    if (values.organization_id) body.organization_id = values.organization_id;
    const token = await ask(api.POST("/api/hwkey", { body }));
    done(words.done(token.serial));
    void changed(queries);
    onClose();
  };
  const input = (name: "serial" | (typeof texts)[number], label: string, maxLength: number, description?: string) => (
    <TextInput
      label={label}
      description={description}
      autoComplete="off"
      spellCheck={false}
      maxLength={maxLength}
      {...form.getInputProps(name)}
      {...(name === "serial" ? { required: true, "data-autofocus": true } : {})}
    />
  );

  return (
    <Form
      attempt={attempt}
      onSubmit={submit}
      submit={words.submit}
      disabled={values.serial.trim().length < 4}
      onCancel={onClose}
    >
      <PluggedIn
        onChoose={({ serial, model, firmware_version, form_factor }) =>
          form.setValues({ serial, model, firmware_version, form_factor })
        }
      />
      <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
        {input("serial", words.serial, 64, words.serialHint)}
        {input("label", optional(words.label), 128, words.labelHint)}
        {input("model", optional(words.model), 64)}
        {input("firmware_version", optional(words.firmware), 16)}
        {input("form_factor", optional(words.formFactor), 64)}
        {manyOrganizations ? (
          <OrganizationSelect
            activeOnly
            label={words.organization}
            {...form.getInputProps("organization_id")}
            onChange={(id) => form.setValues({ organization_id: id, owner_id: undefined })}
          />
        ) : null}
      </SimpleGrid>
      <PersonSelect
        activeOnly
        organizationId={values.organization_id}
        label={optional(words.owner)}
        description={words.ownerHint}
        {...form.getInputProps("owner_id")}
      />
      <Text size="sm" c="dimmed">
        {words.secrets}
      </Text>
    </Form>
  );
}

/** PluggedIn offers to fill the form in from a token that the agent of this computer sees. */
function PluggedIn({ onChoose }: { onChoose: (token: Connected) => void }) {
  const words = useText().stock.register;
  const agent = useAgent();
  const tokens = "tokens" in agent ? agent.tokens : [];
  if (tokens.length === 0) return null;
  return (
    <Group gap="xs" role="group" aria-label={words.pluggedIn}>
      <Text size="sm" c="dimmed">
        {words.pluggedIn}
      </Text>
      {tokens.map((token) => (
        <Button
          key={token.serial}
          size="xs"
          variant="light"
          leftSection={<IconUsb size={16} aria-hidden />}
          onClick={() => onChoose(token)}
        >
          <span className="mono">{token.serial}</span>
        </Button>
      ))}
    </Group>
  );
}
