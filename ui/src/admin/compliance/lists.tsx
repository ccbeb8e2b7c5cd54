import { Text } from "@mantine/core";
import type { ReactNode } from "react";
import { Free } from "../../parts/free";
import { TextLink } from "../../parts/link";
import type { Listed } from "../../parts/listlink";
import { called, identified } from "../../parts/person";
import { When } from "../../parts/when";
import { useMay } from "../../session/hooks";
import { useLanguage, useText } from "../../text";
import type { Ending, Limited, OldToken, Report, Tokenless, Whole } from "./merge";
import * as places from "./places";
import { ShortList } from "./short";
import { inUse } from "./tiles";

type Props = { whole: Whole; parameters: Report["parameters"]; many: boolean; organization: number | undefined };

/** Lists are who and what the numbers mean. many: there is more than one organization to tell apart. */
export function Lists({ whole, parameters, many, organization }: Props) {
  const words = useText().compliance.lists;
  const number = new Intl.NumberFormat(useLanguage());
  const soon = words.noExpiring(number.format(parameters.expiring_within_days));
  const unused = inUse(whole) === 0 ? words.noneSetUp : undefined;
  return (
    <>
      <OldSecrets
        list={whole.old}
        days={parameters.secrets_older_than_days}
        place={places.oldSecrets(parameters.secrets_older_than_days, organization)}
        many={many}
        unused={unused}
      />
      <Endings
        id="expired"
        title={words.expired}
        list={whole.expired}
        place={places.lapsed(organization)}
        unused={unused}
        none={words.noExpired}
        many={many}
      />
      <Endings
        id="expiring"
        title={words.expiring}
        list={whole.expiring}
        place={places.ending(parameters.expiring_within_days, organization)}
        unused={unused}
        none={soon}
        many={many}
      />
      <WithoutToken list={whole.tokenless} place={places.tokenless(organization)} many={many} />
    </>
  );
}

type OldProps = { list: Limited<OldToken>; place: Listed; days: number; many: boolean; unused: string | undefined };

function OldSecrets({ list, place, days, many, unused }: OldProps) {
  const t = useText();
  const number = new Intl.NumberFormat(useLanguage());
  const words = t.compliance.lists;
  return (
    <ShortList
      id="old-secrets"
      title={words.old}
      rows={list.items}
      count={list.count}
      list={place}
      rowKey={(r) => r.serial}
      unused={unused}
      none={words.noOld(number.format(days))}
      columns={[
        {
          header: words.token,
          cell: (r) => (
            <Place of={r} many={many}>
              <TokenLink serial={r.serial} />
            </Place>
          ),
        },
        {
          header: words.owner,
          cell: (r) => (
            <span style={{ overflowWrap: "anywhere" }}>
              {r.owner ? <Free>{identified({ username: r.owner, name: r.owner_name ?? "" })}</Free> : words.nobody}
            </span>
          ),
        },
        { header: words.changed, cell: (r) => <Day at={r.changed_at} /> },
        ...organizationColumn<OldToken>(many, words.organization),
      ]}
    />
  );
}

type EndingsProps = {
  id: string;
  title: string;
  list: Limited<Ending>;
  place: Listed;
  none: string;
  unused: string | undefined;
  many: boolean;
};

/** Endings lists certificates by their end. */
function Endings({ id, title, list, place, none, unused, many }: EndingsProps) {
  const words = useText().compliance.lists;
  return (
    <ShortList
      id={id}
      title={title}
      rows={list.items}
      count={list.count}
      list={place}
      rowKey={(r) => r.serial_number}
      none={none}
      unused={unused}
      columns={[
        {
          header: words.certificate,
          cell: (r) => (
            <Place of={r} many={many}>
              <TextLink to="/certificates/$serial" params={{ serial: r.serial_number }} inherit fw={600}>
                <span style={{ overflowWrap: "anywhere" }}>
                  <Free>{r.common_name || r.serial_number}</Free>
                </span>
              </TextLink>
              <Text size="xs" className="cramped" mt={8}>
                <TokenLink serial={r.hwkey_serial} />
              </Text>
            </Place>
          ),
        },
        { header: words.token, roomy: true, cell: (r) => <TokenLink serial={r.hwkey_serial} /> },
        { header: words.ends, cell: (r) => <Day at={r.not_after} /> },
        ...organizationColumn<Ending>(many, words.organization),
      ]}
    />
  );
}

function WithoutToken({ list, place, many }: { list: Limited<Tokenless>; place: Listed; many: boolean }) {
  const t = useText();
  const may = useMay()("get-user");
  const words = t.compliance.lists;
  return (
    <ShortList
      id="tokenless"
      title={words.tokenless}
      rows={list.items}
      count={list.count}
      list={place}
      rowKey={(r) => String(r.id)}
      none={words.noTokenless}
      columns={[
        {
          header: words.person,
          cell: (r) => (
            <Place of={r} many={many}>
              {may ? (
                <TextLink to="/admin/people/$id" params={{ id: String(r.id) }} inherit fw={600}>
                  <span style={{ overflowWrap: "anywhere" }} title={identified(r)}>
                    <Free>{called(r)}</Free>
                  </span>
                </TextLink>
              ) : (
                <Free>{called(r)}</Free>
              )}
            </Place>
          ),
        },
        { header: words.email, cell: (r) => <span style={{ overflowWrap: "anywhere" }}>{r.email}</span> },
        ...organizationColumn<Tokenless>(many, words.organization),
      ]}
    />
  );
}

function TokenLink({ serial }: { serial: string }) {
  return (
    <TextLink to="/tokens/$serial" params={{ serial }} inherit className="mono" style={{ whiteSpace: "nowrap" }}>
      {serial}
    </TextLink>
  );
}

/** Day is never cut in two. */
function Day({ at }: { at: string }) {
  return (
    <span style={{ whiteSpace: "nowrap" }}>
      <When at={at} as="day" />
    </span>
  );
}

type Placed = { organization: string };

/** Place shows the organization below, where there is no room for a column of it. */
function Place({ of, many, children }: { of: Placed; many: boolean; children: ReactNode }) {
  const t = useText();
  return (
    <>
      {children}
      {many ? (
        <Text size="xs" c="dimmed" className="cramped">
          {of.organization || t.compliance.scope.none}
        </Text>
      ) : null}
    </>
  );
}

function organizationColumn<T>(many: boolean, header: string) {
  if (!many) return [];
  return [{ header, roomy: true, cell: (r: T & Placed) => <OrganizationName name={r.organization} /> }];
}

/** OrganizationName names what belongs to no organization, too. */
export function OrganizationName({ name }: { name: string }) {
  const t = useText();
  return (
    name || (
      <Text span inherit c="dimmed">
        {t.compliance.scope.none}
      </Text>
    )
  );
}
