import { SimpleGrid, Stack, Switch, TagsInput, Text, TextInput } from "@mantine/core";
import { Copyable } from "../../parts/copy";
import { Field, Fields } from "../../parts/fields";
import { Panel } from "../../parts/page";
import { SecretField } from "../../parts/secret";
import type { FormOf } from "../../parts/useform";
import { useText } from "../../text";
import type { Draft, Stored } from "./draft";

/** What the parts of the form are given. */
export type Part = { form: FormOf<Draft> };

/** Provider holds who vouches for people, and how it is asked. */
export function Provider({ form, stored }: Part & { stored: Stored }) {
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
            {...form.getInputProps("enabled", { type: "checkbox" })}
          />
          <TextInput
            type="url"
            label={words.issuer}
            description={words.issuerHint}
            placeholder="https://"
            maxLength={1024}
            spellCheck={false}
            {...form.getInputProps("issuer")}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput
              label={words.clientId}
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps("client_id")}
            />
            <SecretField
              words={words.secret}
              stored={stored.client_secret_set}
              {...form.getInputProps("client_secret")}
            />
          </SimpleGrid>
          <TagsInput
            label={words.scopes}
            description={words.scopesHint}
            maxTags={20}
            splitChars={[",", " "]}
            acceptValueOnBlur
            {...form.getInputProps("scopes")}
          />
          <TextInput
            label={words.name}
            description={words.nameHint(t.login.sso(form.values.name.trim() || "…"))}
            maxLength={256}
            {...form.getInputProps("name")}
          />
        </Stack>
      </Panel>
    </>
  );
}
