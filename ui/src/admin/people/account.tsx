import { Alert, Stack, Text } from "@mantine/core";
import { IconMailExclamation } from "@tabler/icons-react";
import type { Schema } from "../../api/client";
import { failureOf } from "../../mail/failure";
import { Field, Fields } from "../../parts/fields";
import { Free } from "../../parts/free";
import { Panel } from "../../parts/page";
import { OrganizationLink } from "../../parts/personlink";
import { When } from "../../parts/when";
import { useMe } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import { isLocked, PersonState } from "./list";

/** Account shows who somebody is, whether and how they sign in, and what about that can't be changed here. */
export function Account({ user }: { user: Schema<"User"> }) {
  const t = useText();
  const words = t.people;
  const language = useLanguage();
  const self = user.id === useMe().id;
  const spoken = user.language && new Intl.DisplayNames(language, { type: "language" }).of(user.language);
  const reasons = [
    self ? words.access.ownDisable : null,
    self ? words.access.ownReset : user.auth_source === "oidc" ? words.access.oidcReset : null,
  ].filter((reason) => reason !== null);
  return (
    <Panel title={t.person.account} aside={<PersonState user={user} />}>
      <Stack gap="sm">
        {user.mail_failed_at ? <MailFails at={user.mail_failed_at} error={user.mail_error} /> : null}
        <Fields>
          <Field label={words.fields.username}>
            <Free>{user.username}</Free>
          </Field>
          <Field label={words.fields.email}>{user.email}</Field>
          <Field label={words.fields.role}>{t.common.roles[user.role]}</Field>
          <Field label={words.fields.organization}>
            {user.organization_id === null ? (
              words.noOrganization
            ) : (
              <OrganizationLink id={user.organization_id} inherit>
                <Free>{user.organization_name}</Free>
              </OrganizationLink>
            )}
          </Field>
          {user.upn ? <Field label={words.fields.upn}>{user.upn}</Field> : null}
          {user.sid ? (
            <Field label={words.fields.sid}>
              <span className="mono">{user.sid}</span>
            </Field>
          ) : null}
          <Field label={words.facts.signsIn}>{words.facts[user.auth_source]}</Field>
          <Field label={t.common.language}>{spoken || t.person.anyLanguage}</Field>
          <Field label={words.facts.lastLogin}>
            <When at={user.last_login_at} fallback={words.neverSignedIn} />
          </Field>
          {isLocked(user) ? (
            <Field label={words.facts.locked}>
              <When at={user.locked_until} as="exact" />
            </Field>
          ) : null}
          <Field label={words.facts.created}>
            <When at={user.created_at} as="day" />
          </Field>
        </Fields>
        {reasons.map((reason) => (
          <Text key={reason} size="xs" c="dimmed">
            {reason}
          </Text>
        ))}
      </Stack>
    </Panel>
  );
}

/** MailFails says why mail does not reach the person, and what to do about it. */
function MailFails({ at, error }: { at: string; error: string }) {
  const t = useText();
  const words = t.people.mail;
  const { what, todo } = failureOf(error, "", t.mail);
  return (
    <Alert role="alert" color="orange" variant="light" icon={<IconMailExclamation aria-hidden />} title={words.title}>
      <Text size="sm">
        {what} {todo} {words.until}
      </Text>
      <Text size="xs" mt={4}>
        {words.since} <When at={at} as="both" />
      </Text>
    </Alert>
  );
}
