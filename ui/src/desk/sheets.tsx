import { Button } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { usePrintable } from "../admin/print";
import { identified } from "../parts/person";
import { day } from "../parts/when";
import { useMe } from "../session/hooks";
import { useLanguage, useText } from "../text";
import { deviceQuery } from "../token/data";
import { type Device, neverChosen } from "../token/next";
import classes from "./desk.module.css";

export type Sheet = { kind: "notes" | "tags"; devices: readonly Device[] };

/** Sheets is what is printed instead of the page, as soon as it is drawn. */
export function Sheets({ sheet: { kind, devices }, onDone }: { sheet: Sheet; onDone: () => void }) {
  usePrintable();
  const done = useRef(onDone);
  done.current = onDone;
  useEffect(() => {
    const after = () => done.current();
    addEventListener("afterprint", after, { once: true });
    print();
    return () => removeEventListener("afterprint", after);
  }, []);
  return createPortal(
    <div className={`only-print ${classes.sheet} ${kind === "tags" ? classes.tags : ""}`}>
      {devices.map((device) =>
        kind === "tags" ? <Tag key={device.serial} device={device} /> : <Note key={device.serial} device={device} />,
      )}
    </div>,
    document.body,
  );
}

/** NoteButton prints the note that goes to a token's owner with it. */
export function NoteButton({ device }: { device: Device }) {
  const words = useText().desk.queue;
  const queries = useQueryClient();
  const [sheet, setSheet] = useState<Sheet | null>(null);
  // What was done just now may not be on the page yet.
  const begin = async () => {
    const now = await queries.fetchQuery({ ...deviceQuery(device.serial), staleTime: 0 }).catch(() => device);
    if (now?.owner) setSheet({ kind: "notes", devices: [{ ...now, model: now.model || device.model }] });
  };
  return (
    <>
      <Button variant="default" leftSection={<IconPrinter size={16} aria-hidden />} onClick={() => void begin()}>
        {words.note}
      </Button>
      {sheet ? <Sheets sheet={sheet} onDone={() => setSheet(null)} /> : null}
    </>
  );
}

/** Note goes to the owner with the token: how to begin with it. It never holds a secret. */
function Note({ device }: { device: Device }) {
  const t = useText();
  const words = t.desk.note;
  const me = useMe();
  const language = useLanguage();
  const { owner } = device;
  if (!owner) return null;
  const pin = device.enrolled_at ? (neverChosen(device) ? words.choosePin : words.pinKnown) : words.setUp;
  return (
    <section className={classes.note}>
      <h2>{words.title}</h2>
      <dl className={classes.facts}>
        <dt>{words.for}</dt>
        <dd dir="auto">{owner.name || owner.username}</dd>
        <dt>{words.token}</dt>
        <dd className="mono">{device.serial}</dd>
        <dt>{words.username}</dt>
        <dd>{owner.username}</dd>
        {device.model ? (
          <>
            <dt>{words.model}</dt>
            <dd>{device.model}</dd>
          </>
        ) : null}
      </dl>
      <h3>{words.how}</h3>
      <ol>
        <li>{words.plug}</li>
        <li>{words.signIn(location.origin, owner.username)}</li>
        <li>{pin}</li>
      </ol>
      <p>{words.agent}</p>
      <p>
        <b>{words.secret}</b> {words.lost}
      </p>
      <div className={classes.signed}>
        <span>{words.handed(day(new Date().toISOString(), language), me.name || me.username)}</span>
        <span className={classes.line}>{words.signature}</span>
      </div>
    </section>
  );
}

/** Tag is a label for a token, or for the envelope that it is in. */
function Tag({ device: { owner, serial, label, organization_name } }: { device: Device }) {
  if (!owner) return null;
  return (
    <div className={classes.tag}>
      <b dir="auto">{identified(owner)}</b>
      <span className="mono">{serial}</span>
      <br />
      {[label, organization_name].filter(Boolean).join(" · ")}
    </div>
  );
}
