import { Input, SegmentedControl, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from "@mantine/core";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import { Warning } from "../../parts/warning";
import { NumberField } from "../../system/policy/number";
import { useText } from "../../text";
import { type Part, ports, type Security, secured } from "../draft";

const securities = Object.keys(ports) as Security[];

/** Server says which mail server takes the messages, and how it is spoken to. */
export function Server({ form, stored }: Part) {
  const words = useText().mail.settings;
  const { values: draft } = form;
  const security = form.getInputProps("security");
  return (
    <Panel title={words.server}>
      <Stack>
        <Switch
          label={words.enabled}
          description={words.enabledHint}
          {...form.getInputProps("enabled", { type: "checkbox" })}
        />
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={words.host}
            placeholder="mail.example.org"
            maxLength={253}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            {...form.getInputProps("host")}
          />
          <NumberField label={words.port} min={1} max={65_535} {...form.getInputProps("port")} />
        </SimpleGrid>
        <Input.Wrapper label={words.security} labelElement="div" error={security.error}>
          <SegmentedControl
            fullWidth
            aria-label={words.security}
            value={draft.security}
            onChange={(v) => form.setValues(secured(draft, securities.find((s) => s === v) ?? "starttls"))}
            data={securities.map((value) => ({ value, label: words.securities[value] }))}
          />
        </Input.Wrapper>
        {draft.security === "none" ? (
          <Warning role="alert">{words.securityHints.none}</Warning>
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
              {...form.getInputProps("ca_pem")}
            />
          </>
        )}
        <Account form={form} stored={stored} />
      </Stack>
    </Panel>
  );
}

/** Account is how Keyward signs in at the mail server. */
function Account({ form, stored }: Part) {
  const words = useText().mail.settings;
  const { values: draft } = form;
  return (
    <>
      <SimpleGrid cols={{ base: 1, xs: 2 }}>
        <TextInput
          label={words.username}
          description={words.usernameHint}
          maxLength={256}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
          {...form.getInputProps("username")}
        />
        <SecretField words={words.secret} stored={stored.password_set} {...form.getInputProps("password")} />
      </SimpleGrid>
      {draft.security === "none" && (draft.username.trim() || draft.allow_insecure_auth) ? (
        <Switch
          label={words.insecureAuth}
          description={words.insecureAuthHint}
          {...form.getInputProps("allow_insecure_auth", { type: "checkbox" })}
        />
      ) : null}
    </>
  );
}
