import { Card, Skeleton } from "@mantine/core";
import {
  IconCertificate2Off,
  IconHourglassLow,
  IconLock,
  IconMailForward,
  IconSparkles,
  IconUserQuestion,
} from "@tabler/icons-react";
import { Link } from "@tanstack/react-router";
import type { Schema } from "../../api/client";
import { Failures } from "../../overview/failures";
import { Nothing, type Task, Todo } from "../../overview/todo";
import { Field, Fields } from "../../parts/fields";
import { ButtonLink } from "../../parts/link";
import { Panel } from "../../parts/page";
import { useTotal } from "../../parts/pager";
import { When } from "../../parts/when";
import { useText } from "../../text";
import { type Counted, counted, useCounts } from "./counts";
import classes from "./overview.module.css";
import { Standing } from "./standing";

/** Facts are what an organization's record says. */
export function Facts({ organization: o }: { organization: Schema<"Organization"> }) {
  const t = useText();
  const words = t.people.organizations;
  return (
    <Panel title={t.person.account} aside={<Standing organization={o} />}>
      <Fields>
        <Field label={words.domains}>{o.email_domains.join(", ") || words.domainsPlaceholder}</Field>
        <Field label={words.suffixes}>{o.upn_suffixes.join(", ") || words.suffixesPlaceholder}</Field>
        <Field label={words.realm}>{o.kerberos_realm ?? t.person.organization.serverRealm}</Field>
        <Field label={words.columns.created}>
          <When at={o.created_at} as="day" />
        </Field>
      </Fields>
    </Panel>
  );
}

const looks: [Counted, Pick<Task, "tone" | "icon">][] = [
  ["locked", { tone: "urgent", icon: IconLock }],
  ["lapsed", { tone: "urgent", icon: IconCertificate2Off }],
  ["ending", { tone: "soon", icon: IconHourglassLow }],
  ["setUp", { tone: "soon", icon: IconSparkles }],
  ["invited", { tone: "soon", icon: IconMailForward }],
  ["tokenless", { tone: "calm", icon: IconUserQuestion }],
];

/** Contents count what belongs to an organization, and say what needs doing there; each leads to its list. */
export function Contents({ organization: { id, name } }: { organization: Schema<"Organization"> }) {
  const t = useText();
  const words = t.person.organization;
  const total = useTotal();
  const { counts, pending, queries } = useCounts(id);
  const lead = (of: Counted) => ({ to: counted[of].to, search: { ...counted[of].search, organization: id } as never });
  const tasks = looks.flatMap(([of, look]): Task[] => {
    const count = counts[of];
    if (!count || count.total === 0 || of === "people" || of === "tokens" || of === "certificates") return [];
    return [
      {
        id: of,
        ...look,
        text: words.tasks[of](count.total, total(count)),
        action: (
          <ButtonLink {...lead(of)} variant={look.tone === "calm" ? "default" : "light"} size="xs">
            {words.view}
          </ButtonLink>
        ),
      },
    ];
  });
  const empty = counts.people?.total === 0;
  return (
    <>
      <Card component="section" aria-label={words.counts}>
        <div className={classes.counts}>
          {(["people", "tokens", "certificates"] as const).map((of) => {
            const count = counts[of];
            return (
              <Link key={of} {...lead(of)} className={classes.count}>
                <div className={`${classes.number} numbers`}>
                  {count ? total(count) : <Skeleton height={34} w={60} />}
                </div>
                <div className={classes.named}>{words[of]}</div>
              </Link>
            );
          })}
        </div>
      </Card>
      <Panel title={t.overview.todo.title}>
        {tasks.length > 0 ? (
          <Todo tasks={tasks} />
        ) : pending ? (
          <Skeleton height={52} role="status" aria-label={t.common.loading} />
        ) : (
          <Nothing
            title={empty ? words.empty(name) : words.nothing}
            text={empty ? words.emptyText : words.nothingText}
          />
        )}
        <Failures queries={queries} />
      </Panel>
    </>
  );
}
