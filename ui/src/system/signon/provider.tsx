import { SimpleGrid, Stack, Switch, TagsInput, Text, TextInput } from "@mantine/core";
import { Copyable } from "../../parts/copy";
import { Field, Fields } from "../../parts/fields";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import type { WrongField } from "../../parts/wrong";
import { useText } from "../../text";
import type { Draft, Stored } from "./draft";

export type Part = {
  draft: Draft;
  stored: Stored;
  onChange: (change: Partial<Draft>) => void;
  /** What is wrong with a field, by its name in the API. */
  wrong: WrongField;
};

/** Provider holds who vouches for people, and how it is asked. */
export function Provider({ draft, stored, onChange, wrong }: Part) {
  const t = useText();
  const words = t.settings.signon;
  return (
    <>
      <Panel title={words.register}>
        <Stack gap="sm">
          <Text size="sm">{words.registerHint}</Text>
          <Fields>
            <Field label={words.redirect}>
              <Copyable value={stored.redirect_uri} label={words.redirect} />
            </Field>
            <Field label={words.postLogout}>
              <Copyable value={stored.post_logout_redirect_uri} label={words.postLogout} />
            </Field>
          </Fields>
        </Stack>
      </Panel>
      <Panel title={words.provider}>
        <Stack>
          <Switch
            label={words.enabled}
            description={words.enabledHint}
            checked={draft.enabled}
            onChange={(e) => onChange({ enabled: e.currentTarget.checked })}
          />
          <TextInput
            type="url"
            label={words.issuer}
            description={words.issuerHint}
            placeholder="https://"
            maxLength={1024}
            spellCheck={false}
            value={draft.issuer}
            error={wrong("issuer")}
            onChange={(e) => onChange({ issuer: e.currentTarget.value })}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={words.clientId}
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              value={draft.client_id}
              error={wrong("client_id")}
              onChange={(e) => onChange({ client_id: e.currentTarget.value })}
            />
            <SecretField
              words={words.secret}
              secret={draft.secret}
              stored={stored.client_secret_set}
              onChange={(secret) => onChange({ secret })}
              error={wrong("client_secret")}
            />
          </SimpleGrid>
          <TagsInput
            label={words.scopes}
            description={words.scopesHint}
            maxTags={20}
            splitChars={[",", " "]}
            acceptValueOnBlur
            value={draft.scopes}
            error={wrong("scopes")}
            onChange={(scopes) => onChange({ scopes })}
          />
          <TextInput
            label={words.name}
            description={words.nameHint(t.login.sso(draft.name.trim() || "…"))}
            maxLength={256}
            value={draft.name}
            error={wrong("name")}
            onChange={(e) => onChange({ name: e.currentTarget.value })}
          />
        </Stack>
      </Panel>
    </>
  );
}
