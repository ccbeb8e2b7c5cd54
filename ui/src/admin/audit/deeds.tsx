import { ActionIcon, Collapse, Text } from "@mantine/core";
import { IconChevronDown, IconChevronRight } from "@tabler/icons-react";
import { useState } from "react";
import { Free } from "../../parts/free";
import type { Column } from "../../parts/list";
import { exact, When } from "../../parts/when";
import { type Catalogue, useLanguage, useText } from "../../text";
import { ActionName } from "./action";
import classes from "./deeds.module.css";
import { EntryDetail } from "./detail";
import type { Filters } from "./filters";
import { type Deed, type Entry, reasonOf, storyOf } from "./fold";
import { Actor, Target } from "./named";
import { Outcome } from "./outcome";
import { storyWords } from "./story";

/** DeedName is the line of a deed: an entry's action, or what several amount to, and why. */
function DeedName({ deed }: { deed: Deed }) {
  const t = useText();
  const [only] = deed;
  const reason = reasonOf(deed);
  return (
    <>
      {deed.length === 1 ? (
        <ActionName action={only.action} words={storyWords(t, deed)} />
      ) : (
        <Text span inherit fw={600} mr={8}>
          {storyWords(t, deed)}
        </Text>
      )}
      {reason ? (
        <Text span inherit mr={8}>
          <Free>{reason}</Free>
        </Text>
      ) : null}
      {deed.length > 1 ? (
        <Text span inherit c="dimmed">
          {t.audit.deeds.steps(deed.length)}
        </Text>
      ) : null}
    </>
  );
}

/** outcomeOf is the worst of how a deed's entries ended. */
export const outcomeOf = (deed: Deed) => deed.find((e) => e.outcome !== "success")?.outcome ?? "success";

/** deedColumns are those of a list of deeds. exactly: with the time of day, as an auditor wants it. */
export function deedColumns(t: Catalogue, exactly: boolean): Column<Deed>[] {
  const words = t.audit.columns;
  const main = (deed: Deed) => storyOf(deed).main;
  const at: Column<Deed> = {
    id: "at",
    header: words.at,
    ...(exactly ? { sort: "at", width: 172 } : { right: true }),
    from: "sm",
    cell: ([e]) => (
      <span className="numbers" style={{ whiteSpace: "nowrap" }}>
        <When at={e.at} as={exactly ? "exact" : "relative"} />
      </span>
    ),
  };
  return [
    ...(exactly ? [at] : []),
    {
      id: "action",
      header: words.action,
      cell: (deed) => (
        <>
          <DeedName deed={deed} />
          {exactly || outcomeOf(deed) === "success" ? null : <Outcome value={outcomeOf(deed)} />}
          <Text component="div" size="sm" c="dimmed" hiddenFrom="sm">
            <When at={deed[0].at} as={exactly ? "exact" : "relative"} /> · <Actor entry={main(deed)} />
            {main(deed).target_id ? (
              <>
                {" "}
                · <Target entry={main(deed)} />
              </>
            ) : null}
          </Text>
        </>
      ),
    },
    ...(exactly
      ? [
          {
            id: "outcome",
            header: words.outcome,
            width: { base: 116, sm: 130 },
            cell: (deed: Deed) => <Outcome value={outcomeOf(deed)} />,
          },
        ]
      : []),
    {
      id: "actor",
      header: words.actor,
      from: "sm",
      width: { sm: 130, xl: 180 },
      cell: (deed) => <Actor entry={main(deed)} />,
    },
    {
      id: "target",
      header: words.target,
      from: "md",
      width: { md: 190, xl: 230 },
      cell: (deed) => <Target entry={main(deed)} />,
    },
    ...(exactly
      ? [
          {
            id: "ip",
            header: words.ip,
            from: "xl" as const,
            width: 130,
            cell: ([e]: Deed) => <span className="mono">{e.ip_address}</span>,
          },
        ]
      : [at]),
  ];
}

type Props = { deed: Deed; onOnly: (change: Partial<Filters>) => void };

/** DeedDetail shows all that is known of an entry, or each of several entries, which open to that. */
export function DeedDetail({ deed, onOnly }: Props) {
  const [only] = deed;
  if (deed.length === 1) return <EntryDetail entry={only} onOnly={onOnly} />;
  return (
    <ul className={classes.steps}>
      {deed.map((entry) => (
        <Step key={entry.id} entry={entry} onOnly={onOnly} />
      ))}
    </ul>
  );
}

function Step({ entry: e, onOnly }: { entry: Entry; onOnly: Props["onOnly"] }) {
  const t = useText();
  const language = useLanguage();
  const [open, setOpen] = useState(false);
  const Icon = open ? IconChevronDown : IconChevronRight;
  return (
    <li className={classes.step}>
      <div className={classes.line}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size="sm"
          aria-label={t.audit.open(e.id)}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        >
          <Icon size={16} />
        </ActionIcon>
        <Text span size="sm" className="numbers" title={t.audit.fields.id}>
          {new Intl.NumberFormat(language).format(e.id)}
        </Text>
        <time dateTime={e.at} className="numbers">
          {exact(e.at, language)}
        </time>
        <Text component="div" size="sm" className={classes.what}>
          <Text span inherit mr={8}>
            <ActionName action={e.action} />
          </Text>
          <Target entry={e} />
        </Text>
        <Outcome value={e.outcome} />
      </div>
      <Collapse expanded={open}>{open ? <EntryDetail entry={e} onOnly={onOnly} /> : null}</Collapse>
    </li>
  );
}
