import { useEffect, useState } from "react";
import { store, stored } from "../parts/stored";
import { type Device, neverChosen } from "../token/next";

/** Entry is what this browser keeps of a line: all else is the server's to say. Never a secret. */
export type Entry = {
  serial: string;
  /** Its set-up stopped here. */
  failed?: true;
  /** It came set up already. */
  before?: true;
};

/** The wish to give a token to somebody at the desk begins so, before its serial number. */
export const assigning = "assign ";

/** So many tokens are more than a day's work; older ones make room. */
const most = 200;

const is = (serial: string) => (e: Entry) => e.serial.toLowerCase() === serial.toLowerCase();

/** read takes what a browser kept, or whatever else is there. */
export function read(kept: unknown): Entry[] {
  if (!Array.isArray(kept)) return [];
  const entries = kept.flatMap((e: unknown): Entry[] => {
    if (typeof e !== "object" || e === null || !("serial" in e) || typeof e.serial !== "string" || !e.serial) return [];
    return [
      {
        serial: e.serial,
        ...("failed" in e && e.failed === true && { failed: true }),
        ...("before" in e && e.before === true && { before: true }),
      },
    ];
  });
  return entries.filter((e, i) => entries.findIndex(is(e.serial)) === i).slice(0, most);
}

/** added puts a token in front, if it is not in the queue already. before: it is set up already. */
export function added(queue: Entry[], serial: string, before = false): Entry[] {
  return queue.some(is(serial)) ? queue : [{ serial, ...(before && { before }) }, ...queue].slice(0, most);
}

export const without = (queue: Entry[], serials: readonly string[]): Entry[] =>
  queue.filter((e) => !serials.some((serial) => is(serial)(e)));

/** marked notes whether a token's set-up stopped. */
export function marked(queue: Entry[], serial: string, failed: boolean): Entry[] {
  return queue.map((e) => (is(serial)(e) ? (failed ? { ...e, failed: true } : { serial: e.serial }) : e));
}

/** useQueue keeps a person's queue in this browser, the same in all its tabs. */
export function useQueue(person: number) {
  const key = `desk-${person}`;
  const [queue, setQueue] = useState(() => read(stored(key)));
  useEffect(() => {
    const follow = (e: StorageEvent) => {
      if (e.key === `keyward-${key}`) setQueue(read(stored(key)));
    };
    addEventListener("storage", follow);
    return () => removeEventListener("storage", follow);
  }, [key]);
  const change = (how: (queue: Entry[]) => Entry[]) => {
    // What is stored is the truth: another tab may have been quicker.
    const next = how(read(stored(key) ?? queue));
    store(key, next);
    setQueue(next);
  };
  return { queue, change };
}

/** State is how a line of the queue stands, and so what comes next. */
export type State =
  /** Nobody has it. */
  | "name"
  /** Somebody has it: it is to be plugged in. */
  | "away"
  | "ready"
  | "running"
  | "failed"
  /** Choosing its PIN was interrupted. */
  | "pin"
  /** Suspended, lost or retired. */
  | "out"
  /** Set up; its owner chooses the PIN. */
  | "done"
  /** Neither is of this queue: it came set up already. */
  | "before"
  /** Set up, with the owner's own PIN. */
  | "whole";

type Now = { plugged: boolean; running: boolean; failed: boolean; before: boolean };

/** stateOf reads a line's state from the record; null: there is none yet. */
export function stateOf(device: Device | null, { plugged, running, failed, before }: Now): State {
  if (running) return "running";
  if (!device) return "name";
  if (device.status === "suspended" || device.status === "lost" || device.status === "retired") return "out";
  if (!device.owner) return "name";
  if (device.enrolled_at) {
    if (device.secrets.rotation_pending) return "pin";
    return before ? "before" : neverChosen(device) ? "done" : "whole";
  }
  if (failed) return "failed";
  return plugged ? "ready" : "away";
}

/** belongs: a token that is plugged in here is one for the queue: it is not set up yet, and it is not in nobody's reach. */
export function belongs(device: Device | null): boolean {
  return device === null || (device.enrolled_at === null && ["name", "away"].includes(stateOf(device, nothing)));
}
const nothing: Now = { plugged: false, running: false, failed: false, before: false };
