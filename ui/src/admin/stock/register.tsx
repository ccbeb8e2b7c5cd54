import { Button, Group, Modal, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { IconUsb } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type Connected, useAgent } from "../../agent/state";
import { api, ask, type Schema } from "../../api/client";
import { isProblem } from "../../api/problem";
import { done, ProblemAlert } from "../../parts/problem";
import { useMay } from "../../session/hooks";
import { useText } from "../../text";
import { OrganizationSelect, PersonSelect } from "../pick";
import { changed } from "../queries";

type Texts = { serial: string; label: string; model: string; firmware_version: string; form_factor: string };
type Props = { opened: boolean; organizationId: number | undefined; onClose: () => void };

/** RegisterToken puts one token on record. */
export function RegisterToken({ opened, organizationId, onClose }: Props) {
  const t = useText();
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      closeOnClickOutside={false}
      size="lg"
      title={t.stock.register.title}
      closeButtonProps={{ "aria-label": t.common.actions.close }}
    >
      <Form organizationId={organizationId} onClose={onClose} />
    </Modal>
  );
}

function Form({ organizationId: first, onClose }: { organizationId: number | undefined; onClose: () => void }) {
  const t = useText();
  const words = t.stock.register;
  const queries = useQueryClient();
  const manyOrganizations = useMay()("create-organization");
  const [texts, setTexts] = useState<Texts>({
    serial: "",
    label: "",
    model: "",
    firmware_version: "",
    form_factor: "",
  });
  const [ownerId, setOwnerId] = useState<number>();
  const [organizationId, setOrganizationId] = useState(first);
  const [problem, setProblem] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const fields = isProblem(problem) ? problem : null;

  const submit = async () => {
    setBusy(true);
    setProblem(null);
    const body: Schema<"NewHWKey"> = { serial: texts.serial.trim() };
    for (const name of ["label", "model", "firmware_version", "form_factor"] as const) {
      if (texts[name].trim()) body[name] = texts[name].trim();
    }
    if (ownerId) body.owner_id = ownerId;
    if (organizationId) body.organization_id = organizationId;
    try {
      const token = await ask(api.POST("/api/hwkey", { body }));
      done(words.done(token.serial));
      void changed(queries);
      onClose();
    } catch (error) {
      setProblem(error);
    } finally {
      setBusy(false);
    }
  };
  const input = (name: keyof Texts, label: string, maxLength: number, description?: string) => (
    <TextInput
      label={label}
      description={description}
      autoComplete="off"
      spellCheck={false}
      maxLength={maxLength}
      value={texts[name]}
      error={fields?.field(name)}
      onChange={(e) => {
        const value = e.currentTarget.value;
        setTexts((old) => ({ ...old, [name]: value }));
      }}
      {...(name === "serial" ? { required: true, withAsterisk: false, "data-autofocus": true } : {})}
    />
  );

  return (
    <form
      onSubmit={(e) => {
        e.preventDefault();
        void submit();
      }}
    >
      <Stack>
        <PluggedIn
          onChoose={({ serial, model, firmware_version, form_factor }) =>
            setTexts((old) => ({ ...old, serial, model, firmware_version, form_factor }))
          }
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="md" verticalSpacing="sm">
          {input("serial", words.serial, 64, words.serialHint)}
          {input("label", words.label, 128, words.labelHint)}
          {input("model", words.model, 64)}
          {input("firmware_version", words.firmware, 16)}
          {input("form_factor", words.formFactor, 64)}
          {manyOrganizations ? (
            <OrganizationSelect
              activeOnly
              label={words.organization}
              value={organizationId}
              onChange={(id) => {
                setOrganizationId(id);
                setOwnerId(undefined);
              }}
              error={fields?.field("organization_id")}
            />
          ) : null}
        </SimpleGrid>
        <PersonSelect
          activeOnly
          organizationId={organizationId}
          label={words.owner}
          description={words.ownerHint}
          value={ownerId}
          onChange={setOwnerId}
          error={fields?.field("owner_id")}
        />
        <Text size="sm" c="dimmed">
          {words.secrets}
        </Text>
        {problem ? <ProblemAlert error={problem} /> : null}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose} disabled={busy}>
            {t.common.actions.cancel}
          </Button>
          <Button type="submit" loading={busy} disabled={texts.serial.trim().length < 4}>
            {words.submit}
          </Button>
        </Group>
      </Stack>
    </form>
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
