import { Skeleton } from "@mantine/core";
import type { ReactNode } from "react";
import { Free } from "../parts/free";
import { TextLink } from "../parts/link";
import { identified } from "../parts/person";
import { When } from "../parts/when";
import { useMay } from "../session/hooks";
import { useText } from "../text";
import classes from "./card.module.css";
import { usePlain } from "./named";
import { type Defaults, type Device, factory } from "./next";
import type { Card } from "./slots";

/** Tries shows how many tries are left, as dots and in words. */
function Tries({ left }: { left: number | null }) {
  const words = useText().tokens.facts;
  if (left === null) return <span>{words.untold}</span>;
  const all = Math.max(3, left);
  if (left === 0 || all > 6) return <span className={left === 0 ? classes.bad : undefined}>{words.tries(left)}</span>;
  return (
    <span className={classes.dots} role="img" aria-label={words.tries(left)} title={words.tries(left)}>
      {Array.from({ length: all }, (_, i) => i).map((i) => (
        <span
          key={i}
          className={`${classes.dot} ${i >= left ? classes.spent : left === 1 ? classes.few : ""}`}
          aria-hidden="true"
        />
      ))}
    </span>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  );
}

type Props = {
  device: Device;
  /** What the card shows; undefined while it is read, or when it is not plugged in. */
  seen?: { card: Card; defaults: Defaults } | undefined;
  plugged: boolean;
  /** It is not known yet whether it is plugged in. */
  looking?: boolean;
  mine: boolean;
  /** With its organization and when it was registered. */
  whole?: boolean;
};

/** Facts are a token's figures: tries, factory secrets, times. */
export function Facts({ device, seen, plugged, looking = false, mine, whole = false }: Props) {
  const t = useText();
  const words = t.tokens.facts;
  return (
    <dl className={classes.list} aria-label={words.label}>
      {plugged ? <OnCard seen={seen} fresh={device.enrolled_at === null} /> : null}
      {mine ? null : (
        <Fact name={words.owner}>
          <Owner owner={device.owner} />
        </Fact>
      )}
      <Fact name={words.status}>{t.common.status[device.status]}</Fact>
      {whole && device.organization_name ? (
        <Fact name={words.organization}>
          <Free>{device.organization_name}</Free>
        </Fact>
      ) : null}
      {whole ? (
        <Fact name={words.registered}>
          <When at={device.registered_at} />
        </Fact>
      ) : null}
      <Fact name={words.enrolled}>{device.enrolled_at ? <When at={device.enrolled_at} /> : words.notYet}</Fact>
      {/* Before the token is set up, that is when the vault made those that it will get. */}
      {device.enrolled_at ? (
        <Fact name={words.changed}>
          <When at={device.secrets.changed_at} />
        </Fact>
      ) : null}
      <Fact name={words.seen}>{plugged && !looking ? words.pluggedIn : <When at={device.last_seen_at} />}</Fact>
    </dl>
  );
}

/** Owner leads to the person, for whoever may look at people. */
function Owner({ owner }: Pick<Device, "owner">) {
  const words = useText().tokens.facts;
  const may = useMay();
  if (!owner) return words.noOwner;
  if (!may("list-users")) return <Free>{identified(owner)}</Free>;
  return (
    <TextLink to="/admin/people/$id" params={{ id: String(owner.id) }} inherit>
      <Free>{identified(owner)}</Free>
    </TextLink>
  );
}

function OnCard({ seen, fresh }: { seen: Props["seen"]; fresh: boolean }) {
  const plain = usePlain();
  const words = useText().tokens.facts;
  const wait = <Skeleton height={12} width={44} my={3} ml="auto" />;
  return (
    <>
      <Fact name={words.pin}>{seen ? <Tries left={seen.card.pin_retries} /> : wait}</Fact>
      <Fact name={words.puk}>{seen ? <Tries left={seen.card.puk_retries} /> : wait}</Fact>
      {plain ? null : (
        <Fact name={words.factory}>{seen ? <FactoryLeft defaults={seen.defaults} fresh={fresh} /> : wait}</Fact>
      )}
    </>
  );
}

/** fresh: the token is still to be set up. */
function FactoryLeft({ defaults, fresh }: { defaults: Defaults; fresh: boolean }) {
  const words = useText().tokens.facts;
  const left = factory(defaults);
  if (left.length > 0) {
    // Said in short, it stays in its line.
    const said = left.length === 3 && fresh ? words.allFactory : left.map((f) => words.factoryNames[f]).join(", ");
    return <span className={classes.warn}>{said}</span>;
  }
  const untold = [defaults.pin_default, defaults.puk_default, defaults.management_key_default].includes(null);
  return untold ? <span>{words.untold}</span> : <span className={classes.good}>{words.noFactory}</span>;
}
