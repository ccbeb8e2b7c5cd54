import { Alert, Box, Drawer, Stack, Text } from "@mantine/core";
import { IconMailExclamation } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";
import type { Schema } from "../../api/client";
import { failureOf } from "../../mail/failure";
import { Free } from "../../parts/free";
import { Loaded } from "../../parts/page";
import { called } from "../../parts/person";
import { When } from "../../parts/when";
import { useText } from "../../text";
import { personQuery } from "../queries";
import { Access } from "./access";
import { Details } from "./details";
import { PersonState } from "./list";
import { Sessions } from "./sessions";
import { OwnTokens } from "./tokens";

type Props = { id: number | undefined; onClose: () => void };

/** PersonDrawer shows one account beside the list: what it is, what it holds, and what can be done. */
export function PersonDrawer({ id, onClose }: Props) {
  const t = useText();
  // The last person stays while the drawer slides away.
  const [shown, setShown] = useState(id);
  const [dialog, setDialog] = useState(false);
  const [saving, setSaving] = useState(false);
  const busy = dialog || saving;
  useEffect(() => {
    if (id !== undefined) setShown(id);
  }, [id]);
  const person = useQuery({ ...personQuery(shown ?? 0), enabled: shown !== undefined });
  return (
    <Drawer
      opened={id !== undefined}
      onClose={() => {
        if (!busy) onClose();
      }}
      // Escape closes the dialog that is open on top of it, not both.
      closeOnEscape={!busy}
      position="right"
      size={520}
      title={person.data ? <Free>{called(person.data)}</Free> : t.people.title}
      styles={{ title: { fontWeight: 650, fontSize: "var(--mantine-font-size-xl)", overflowWrap: "anywhere" } }}
      closeButtonProps={{ "aria-label": t.common.actions.close, disabled: busy }}
    >
      {shown === undefined ? null : (
        <Loaded query={person} height={520}>
          {(user) => (
            <Stack gap="xl" key={user.id}>
              <Facts user={user} />
              <Details key={user.updated_at} user={user} onBusy={setSaving} />
              <Access user={user} onDialog={setDialog} />
              <OwnTokens user={user} />
              <Sessions user={user} />
            </Stack>
          )}
        </Loaded>
      )}
    </Drawer>
  );
}

function Facts({ user }: { user: Schema<"User"> }) {
  const words = useText().people;
  const facts: [string, ReactNode][] = [
    ...(user.name ? ([[words.fields.username, user.username]] as [string, ReactNode][]) : []),
    [words.facts.signsIn, words.facts[user.auth_source]],
    [words.facts.lastLogin, <When key="last" at={user.last_login_at} as="both" fallback={words.neverSignedIn} />],
    [words.facts.created, <When key="created" at={user.created_at} as="day" />],
  ];
  if (user.locked_until && new Date(user.locked_until).getTime() > Date.now()) {
    facts.push([words.facts.locked, <When key="locked" at={user.locked_until} as="exact" />]);
  }
  return (
    <Stack gap="sm">
      <PersonState user={user} />
      {user.mail_failed_at ? <MailFails at={user.mail_failed_at} error={user.mail_error} /> : null}
      <Box component="dl" m={0} style={{ display: "grid", gridTemplateColumns: "auto 1fr", gap: "4px 16px" }}>
        {facts.map(([name, value]) => (
          <Box key={name} style={{ display: "contents" }}>
            <Text component="dt" size="sm" c="dimmed">
              {name}
            </Text>
            <Text component="dd" size="sm" m={0} className="numbers">
              {value}
            </Text>
          </Box>
        ))}
      </Box>
    </Stack>
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
