import { Alert, Input, SegmentedControl, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { IconAlertTriangle } from "@tabler/icons-react";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import { type Part, ports, type Security, secured } from "../draft";

const securities = Object.keys(ports) as Security[];

/** Server says which mail server takes the messages, and how it is spoken to. */
export function Server({ draft, stored, onChange, wrong }: Part) {
  const words = useText().mail.settings;
  return (
    <Panel title={words.server}>
      <Stack>
        <Switch
          label={words.enabled}
          description={words.enabledHint}
          checked={draft.enabled}
          error={wrong("enabled")}
          onChange={(e) => onChange({ enabled: e.currentTarget.checked })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={words.host}
            placeholder="mail.example.org"
            maxLength={253}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            value={draft.host}
            error={wrong("host")}
            onChange={(e) => onChange({ host: e.currentTarget.value })}
          />
          <NumberField
            label={words.port}
            min={1}
            max={65_535}
            value={draft.port}
            error={wrong("port")}
            onChange={(port) => onChange({ port })}
          />
        </SimpleGrid>
        <Input.Wrapper label={words.security} labelElement="div" error={wrong("security")}>
          <SegmentedControl
            fullWidth
            aria-label={words.security}
            value={draft.security}
            onChange={(v) => onChange(secured(draft, securities.find((s) => s === v) ?? "starttls"))}
            data={securities.map((value) => ({ value, label: words.securities[value] }))}
          />
        </Input.Wrapper>
        {draft.security === "none" ? (
          <Alert role="alert" color="orange" variant="light" icon={<IconAlertTriangle aria-hidden />}>
            <Text size="sm">{words.securityHints.none}</Text>
          </Alert>
        ) : (
          <>
            <Text size="xs" c="dimmed">
              {words.securityHints[draft.security]}
            </Text>
            <Textarea
              label={words.ca}
              description={words.caHint}
              placeholder="-----BEGIN CERTIFICATE-----"
              autosize
              minRows={2}
              maxRows={8}
              spellCheck={false}
              styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
              value={draft.ca_pem}
              error={wrong("ca_pem")}
              onChange={(e) => onChange({ ca_pem: e.currentTarget.value })}
            />
          </>
        )}
        <Account draft={draft} stored={stored} onChange={onChange} wrong={wrong} />
      </Stack>
    </Panel>
  );
}

/** Account is how Keyward signs in at the mail server. */
function Account({ draft, stored, onChange, wrong }: Omit<Part, "dirty">) {
  const words = useText().mail.settings;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={words.username}
          description={words.usernameHint}
          inputWrapperOrder={["label", "input", "description", "error"]}
          maxLength={256}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          value={draft.username}
          error={wrong("username")}
          onChange={(e) => onChange({ username: e.currentTarget.value })}
        />
        <SecretField
          words={words.secret}
          secret={draft.secret}
          stored={stored.password_set}
          onChange={(secret) => onChange({ secret })}
          error={wrong("password")}
        />
      </SimpleGrid>
      {draft.security === "none" && (draft.username.trim() || draft.allow_insecure_auth) ? (
        <Switch
          label={words.insecureAuth}
          description={words.insecureAuthHint}
          checked={draft.allow_insecure_auth}
          error={wrong("allow_insecure_auth")}
          onChange={(e) => onChange({ allow_insecure_auth: e.currentTarget.checked })}
        />
      ) : null}
    </>
  );
}
