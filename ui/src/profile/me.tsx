import { Button, Group, Stack, Text } from "@mantine/core";
import { IconKey } from "@tabler/icons-react";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { authConfigQuery } from "../admin/queries";
import { Field, Fields } from "../parts/fields";
import { Dialog } from "../parts/form";
import { Free } from "../parts/free";
import { Panel } from "../parts/page";
import { OrganizationLink } from "../parts/personlink";
import { done } from "../parts/problem";
import { When } from "../parts/when";
import { ChangePassword } from "../session/change";
import { useMe } from "../session/hooks";
import { useText } from "../text";

/** Me shows who is signed in, and offers a new password to whoever has one. */
export function Me() {
  const t = useText();
  const words = t.profile.me;
  const me = useMe();
  const [changing, setChanging] = useState(false);
  return (
    <Panel title={words.title}>
      <Fields>
        {me.name ? (
          <Field label={words.name}>
            <Free>{me.name}</Free>
          </Field>
        ) : null}
        <Field label={words.username}>{me.username}</Field>
        <Field label={words.email}>{me.email}</Field>
        <Field label={words.role}>{t.common.roles[me.role]}</Field>
        <Field label={words.organization}>
          {me.organization_id === null ? (
            words.noOrganization
          ) : (
            <OrganizationLink id={me.organization_id} inherit>
              <Free>{me.organization_name}</Free>
            </OrganizationLink>
          )}
        </Field>
        <Field label={words.source}>{words.sources[me.auth_source]}</Field>
        <Field label={words.since}>
          <When at={me.created_at} as="day" />
        </Field>
        <Field label={words.last}>
          <When at={me.last_login_at} />
        </Field>
      </Fields>
      <Group justify="space-between" mt="md">
        <Text size="xs" c="dimmed">
          {words.wrong}
        </Text>
        {me.auth_source === "local" ? (
          <Button variant="default" leftSection={<IconKey size={16} aria-hidden />} onClick={() => setChanging(true)}>
            {t.profile.password.button}
          </Button>
        ) : null}
      </Group>
      <PasswordDialog opened={changing} onClose={() => setChanging(false)} />
    </Panel>
  );
}

function PasswordDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const words = useText().profile.password;
  const me = useMe();
  const queries = useQueryClient();
  const config = useQuery({ ...authConfigQuery, enabled: opened });
  return (
    <Dialog opened={opened} onClose={onClose} title={words.title}>
      <Stack>
        <Text size="sm" c="dimmed">
          {words.why}
        </Text>
        <ChangePassword
          username={me.username}
          policy={config.data?.password_policy}
          onDone={() => {
            onClose();
            done(words.done);
            void queries.invalidateQueries();
          }}
        />
      </Stack>
    </Dialog>
  );
}
