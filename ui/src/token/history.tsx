import { Group, Text } from "@mantine/core";
import { useMemo } from "react";
import { actorName } from "../admin/audit/actions";
import { outcomeOf } from "../admin/audit/deeds";
import { fields } from "../admin/audit/fields";
import { type Deed, type Entry, fold, reasonOf as givenFor, storyOf } from "../admin/audit/fold";
import { api, ask } from "../api/client";
import { ExportButton } from "../parts/exporting";
import { TextLink } from "../parts/link";
import { type Column, List } from "../parts/list";
import { Panel } from "../parts/page";
import { exact, When } from "../parts/when";
import { useMay } from "../session/hooks";
import { type Catalogue, useLanguage, useText } from "../text";
import classes from "./card.module.css";
import { usePlain } from "./named";
import { deedOf, reasonOf, stepOf } from "./reason";
import { Releases } from "./releases";

const by = (t: Catalogue, e: Entry) => actorName(t.audit, e.actor);
const mainOf = (deed: Deed) => storyOf(deed).main;

/** History shows what happened to a token, whoever did it; to its owner, since they have it. */
export function History({ serial }: { serial: string }) {
  const t = useText();
  const may = useMay();
  const plain = usePlain();
  const words = t.tokens.page;
  const columns = useMemo(() => columnsOf(t), [t]);
  const entries = async (cursor: string | undefined, limit: number) => {
    const params = { path: { serial }, query: { limit, cursor } };
    const page = await ask(api.GET("/api/hwkey/{serial}/history", { params }));
    return { ...page, items: page.items.map((e): Entry => ({ ...e, actor_name: "", target_name: "" })) };
  };
  return (
    <Panel
      title={words.history}
      aside={
        <Group gap="xs">
          {may("list-audit") && !plain ? (
            <TextLink to="/admin/audit" search={{ target: serial } as never} size="sm">
              {t.person.audit}
            </TextLink>
          ) : null}
          <ExportButton csv={{ of: "history", owner: serial, filtered: false, fields }} fetch={entries} />
        </Group>
      }
    >
      <Releases serial={serial} />
      <List
        label={words.history}
        queryKey={["hwkey", serial, "history"]}
        fetch={async (cursor, limit) => {
          const page = await entries(cursor, limit);
          return { ...page, items: fold(page.items) };
        }}
        columns={columns}
        rowKey={([e]) => e.id}
        stands={(deed) => deed.length}
        limit={25}
        detail={{ name: (deed) => words.open(deedOf(deed, t)), content: (deed) => <Steps deed={deed} /> }}
        empty={
          <Text size="sm" c="dimmed">
            {words.historyEmpty}
          </Text>
        }
      />
    </Panel>
  );
}

function columnsOf(t: Catalogue): Column<Deed>[] {
  const words = t.tokens.page;
  return [
    { id: "what", header: words.columns.what, cell: (deed) => <What deed={deed} /> },
    { id: "who", header: words.columns.who, cell: (deed) => by(t, mainOf(deed)), from: "sm" },
    { id: "at", header: words.columns.at, cell: ([e]) => <When at={e.at} />, right: true },
  ];
}

function What({ deed }: { deed: Deed }) {
  const t = useText();
  const words = t.tokens.page;
  const [only] = deed;
  const outcome = outcomeOf(deed);
  const reason = deed.length > 1 ? givenFor(deed) : reasonOf(only, t.certificates.revoke.reasons);
  return (
    <>
      <Group gap={8}>
        <Text size="sm" component="span">
          {deedOf(deed, t)}
        </Text>
        {deed.length > 1 ? (
          <Text size="sm" component="span" c="dimmed">
            {t.audit.deeds.steps(deed.length)}
          </Text>
        ) : null}
        {outcome === "success" ? null : (
          <Text size="xs" component="span" className={classes.warn}>
            {t.tokens.outcomes[outcome]}
          </Text>
        )}
      </Group>
      {reason ? (
        <Text size="xs" c="dimmed" style={{ overflowWrap: "anywhere" }}>
          {words.reason(reason)}
        </Text>
      ) : null}
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        {words.who(by(t, mainOf(deed)))}
      </Text>
    </>
  );
}

/** Steps are the entries of a deed, each with its time and the computer. */
function Steps({ deed }: { deed: Deed }) {
  const t = useText();
  const language = useLanguage();
  return (
    <ul className={classes.steps}>
      {deed.map((e) => (
        <li key={e.id}>
          <Text size="sm">
            {stepOf(e, t)}
            {e.outcome === "success" ? "" : ` (${t.tokens.outcomes[e.outcome]})`}
          </Text>
          <Text size="xs" c="dimmed" className="numbers">
            {[exact(e.at, language), by(t, e), e.hostname].filter(Boolean).join(" · ")}
          </Text>
        </li>
      ))}
    </ul>
  );
}
