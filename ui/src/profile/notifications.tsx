import { Alert, Box, Group, Input, SegmentedControl, SimpleGrid, Stack, Switch, Text, Title } from "@mantine/core";
import { IconMailExclamation, IconShieldLock } from "@tabler/icons-react";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { Own } from "../mail/calls";
import { failureOf, kindName } from "../mail/failure";
import { choosing } from "../mail/own";
import { useOwn } from "../mail/queries";
import { TextLink } from "../parts/link";
import { Loaded, Panel } from "../parts/page";
import { tell } from "../parts/problem";
import { When } from "../parts/when";
import { useMay, useMe } from "../session/hooks";
import { type Language, languages, useText } from "../text";

/** Notifications is what comes to the person by mail, where it goes, and in which language. */
export function Notifications() {
  const words = useText().mail.own;
  const query = useOwn();
  return (
    <Box id="notifications">
      <Panel title={words.title}>
        <Loaded query={query} height={360}>
          {(own) => <Choices own={own} />}
        </Loaded>
      </Panel>
    </Box>
  );
}

function Choices({ own }: { own: Own }) {
  const t = useText();
  const words = t.mail.own;
  const queries = useQueryClient();
  const change = useMutation({ ...choosing(queries), onError: tell });
  const kinds = own.kinds ?? [];
  const always = kinds.filter((k) => k.choice === "always");
  const free = kinds.filter((k) => k.choice === "on");
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed" maw={720}>
        {own.available ? words.intro : words.unavailable}
      </Text>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Address own={own} />
        <Input.Wrapper label={words.language} labelElement="div">
          <SegmentedControl
            fullWidth
            aria-label={words.language}
            value={own.language}
            onChange={(v) => change.mutate({ language: v === "de" ? "de" : "en" })}
            data={(Object.keys(languages) as Language[]).map((value) => ({
              value,
              label: <span lang={value}>{languages[value]}</span>,
            }))}
          />
        </Input.Wrapper>
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Stack gap="sm" component="section" aria-labelledby="mail-chosen">
          <Title order={3} id="mail-chosen">
            {words.choose}
          </Title>
          {free.map((k) => (
            <Switch
              key={k.kind}
              label={kindName(k.kind, t.mail)}
              description={words.hints[k.kind]}
              checked={k.mail}
              onChange={(e) => change.mutate({ mail: { [k.kind]: e.currentTarget.checked } })}
            />
          ))}
        </Stack>
        <Stack gap="sm" component="section" aria-labelledby="mail-always">
          <Title order={3} id="mail-always">
            {words.always}
          </Title>
          <Stack gap={6} component="ul" m={0} p={0} style={{ listStyle: "none" }}>
            {always.map((k) => (
              <Group key={k.kind} component="li" gap={8} wrap="nowrap" align="flex-start">
                <IconShieldLock size={18} stroke={1.6} aria-hidden style={{ flexShrink: 0, marginTop: 1 }} />
                <Text size="sm">{kindName(k.kind, t.mail)}</Text>
              </Group>
            ))}
          </Stack>
        </Stack>
      </SimpleGrid>
    </Stack>
  );
}

/** Address says where messages go, and when they do not arrive there. */
function Address({ own }: { own: Own }) {
  const t = useText();
  const words = t.mail.own;
  const me = useMe();
  const may = useMay();
  if (own.failed_at) {
    return (
      <Alert role="alert" color="orange" variant="light" icon={<IconMailExclamation aria-hidden />} title={words.fails}>
        <Stack gap={4}>
          <Text size="sm" style={{ overflowWrap: "anywhere" }}>
            {own.address}
          </Text>
          <Text size="sm">
            {failureOf(own.error, "", t.mail).what} {words.failsText}
          </Text>
          <Text size="xs">
            {words.since} <When at={own.failed_at} />
          </Text>
        </Stack>
      </Alert>
    );
  }
  return (
    <div>
      <Text size="sm" fw={600}>
        {words.address}
      </Text>
      <Text size="sm" mt={4} style={{ overflowWrap: "anywhere" }}>
        {own.address || words.noAddress}{" "}
        {own.address ? null : may("update-user") ? (
          <TextLink to="/admin/people/$id" params={{ id: String(me.id) }} underline="always">
            {words.addAddress}
          </TextLink>
        ) : (
          words.askAddress
        )}
      </Text>
    </div>
  );
}
