import { useQueries } from "@tanstack/react-query";
import type { Connected } from "../agent/state";
import { deviceQuery } from "../token/data";
import { type Device, withToken } from "../token/next";
import { type Entry, type State, stateOf } from "./queue";

/** Line is a token of the queue as it stands now. */
export type Line = {
  serial: string;
  /** null: nobody has registered it yet; undefined: it is not known, or not any more. */
  device: Device | null | undefined;
  state: State | "loading" | "unknown";
  token: Connected | undefined;
};

/** useLines reads the queue's tokens, and those that are plugged in beside it. running: the one that is being set up. */
export function useLines(queue: readonly Entry[], plugged: readonly Connected[], running: string | undefined) {
  const beside = plugged.filter((p) => !queue.some((e) => e.serial === p.serial));
  const all: readonly Entry[] = [...queue, ...beside.map(({ serial }) => ({ serial }))];
  const records = useQueries({ queries: all.map((e) => deviceQuery(e.serial)) });
  const lines = all.map(({ serial, failed = false, before = false }, i): Line => {
    const record = records[i];
    const token = plugged.find((p) => p.serial === serial);
    if (record?.data === undefined) {
      return { serial, device: undefined, state: record?.isError ? "unknown" : "loading", token };
    }
    const device = record.data && withToken(record.data, token);
    const state = stateOf(device, { plugged: token !== undefined, running: running === serial, failed, before });
    return { serial: device?.serial ?? serial, device, state, token };
  });
  return { lines: lines.slice(0, queue.length), beside: lines.slice(queue.length) };
}
