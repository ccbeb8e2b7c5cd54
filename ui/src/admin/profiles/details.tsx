import { Alert, SimpleGrid, Stack, Text } from "@mantine/core";
import { IconInfoCircle } from "@tabler/icons-react";
import type { ReactNode } from "react";
import { Said } from "../../certificates/said";
import { OrganizationName } from "../../parts/organization";
import { Panel } from "../../parts/page";
import { Facts } from "../../system/facts";
import { type Catalogue, useText } from "../../text";
import { describe } from "../../token/purpose";
import { slotNames } from "../../token/slots";
import { lifetimeOf } from "./draft";
import { Preview } from "./preview";
import type { Profile } from "./queries";
import { Use } from "./table";

/** Details says all that a profile says, in words. */
export function Details({ profile: p }: { profile: Profile }) {
  const t = useText();
  const { form, details: words, builtinHint, preview } = t.profiles;
  return (
    <Stack gap="md">
      {p.builtin ? (
        <Alert variant="light" color="gray" icon={<IconInfoCircle aria-hidden />} p="xs">
          <Text size="sm">{builtinHint}</Text>
        </Alert>
      ) : null}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="md">
        <Panel title={words.about} aside={<Use profile={p} />}>
          <Facts
            items={[
              [form.description, describe(t, p.name, p.description ?? "")],
              [
                form.slots,
                lines(slotNames.filter((s) => p.slots.includes(s)).map((s) => `${s} · ${t.tokens.slots[s]}`)),
              ],
              [form.keyUsage, <Said key="k" names={p.key_usage} words={t.profiles.keyUsages} />],
              [form.purposes, <Said key="p" names={p.extended_key_usage} words={t.profiles.purposes} />],
              [words.ttl, lifetime(t, p.ttl ?? "")],
            ]}
          />
        </Panel>
        <Stack gap="md">
          <Panel title={words.names}>
            <Facts items={names(t, p)} />
          </Panel>
          <Panel title={words.rules}>
            <Facts items={rules(t, p)} />
          </Panel>
        </Stack>
      </SimpleGrid>
      <Panel title={preview.title}>
        <Preview profile={p.name} />
      </Panel>
    </Stack>
  );
}

function names(t: Catalogue, p: Profile): [string, ReactNode][] {
  const { form, details: words } = t.profiles;
  const { subject } = p;
  const items: [string, ReactNode][] = [[form.commonName, <Template key="cn">{subject.common_name}</Template>]];
  if (subject.organization) items.push([form.organization, <Template key="o">{subject.organization}</Template>]);
  if (subject.organizational_unit) items.push([form.unit, <Template key="ou">{subject.organizational_unit}</Template>]);
  if (subject.country) items.push([form.country, <Template key="c">{subject.country}</Template>]);
  const sans = p.sans ?? [];
  items.push(
    [
      form.sans,
      sans.length === 0
        ? words.nothing
        : sans.map((san) => (
            <div key={san.type + san.value}>
              <Template>{san.value}</Template>{" "}
              <Text span size="xs" c="dimmed">
                {t.certificates.detail.sanTypes[san.type]}
              </Text>
            </div>
          )),
    ],
    [form.sid, form.sids[p.sid || "off"]],
  );
  return items;
}

const nonBreakingHyphen = "\u2011";

function rules(t: Catalogue, p: Profile): [string, ReactNode][] {
  const { form, details: words } = t.profiles;
  const { pinPolicies, touchPolicies } = t.certificates.detail.attestation;
  const said = (list: readonly string[] | undefined, of: Readonly<Record<string, string>>, without: string) =>
    list?.length ? lines(list.map((name) => of[name] ?? name)) : without;
  const organizations = p.organizations ?? [];
  return [
    [form.keyTypes, p.key_types.map((type) => type.toUpperCase().replace("-", nonBreakingHyphen)).join(", ")],
    [form.pin, said(p.pin_policies, pinPolicies, words.any)],
    [form.touch, said(p.touch_policies, touchPolicies, words.any)],
    [form.attestation, form.attestations[p.attestation || "inherit"]],
    [
      form.organizations,
      organizations.length === 0
        ? words.all
        : organizations.map((id) => (
            <div key={id}>
              <OrganizationName id={id} />
            </div>
          )),
    ],
    [form.roles, said(p.roles, t.common.roles, words.all)],
  ];
}

function lifetime(t: Catalogue, ttl: string): string {
  const words = t.profiles.details;
  if (!ttl) return words.longest;
  const told = lifetimeOf(ttl);
  return told ? words[told.unit](told.n) : ttl;
}

function lines(list: readonly string[]): ReactNode {
  return list.map((line) => <div key={line}>{line}</div>);
}

function Template({ children }: { children: string }) {
  return <span className="mono">{children}</span>;
}
