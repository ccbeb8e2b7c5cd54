import { useQueryClient } from "@tanstack/react-query";
import { useCallback, useEffect, useRef, useState } from "react";
import { isOutcome, type Question, type Result } from "../flow";
import { Cancelled, useRecent } from "../session/recent";
import { busyOnCard, type Shown } from "./activity";
import { carryOut, type Inputs, type Progress } from "./carry";
import { planOf, profilesQuery } from "./data";
import type { Device, Request } from "./next";
import type { SlotView } from "./slots";
import * as card from "./underway";

/** Run is how far a flow is. */
export type Run =
  | { kind: "asking" }
  | { kind: "running"; now: Progress | null }
  | { kind: "done"; result: Result }
  | { kind: "stopped"; at: Shown | null }
  | { kind: "failed"; error: unknown; at: Shown | null };

/** Asked is a question of the flow that waits for an answer. */
export type Asked = { question: Question; answer: (yes: boolean) => void };

type Start = { request: Request; inputs: Inputs; slots: readonly SlotView[]; mine: boolean };

/** useRunner carries out flows on one token, one at a time, and lets go of it when the page is left. */
export function useRunner(device: Device) {
  const [run, setRun] = useState<Run>({ kind: "asking" });
  const [asked, setAsked] = useState<Asked | null>(null);
  const [stopping, setStopping] = useState(false);
  const abort = useRef<AbortController | null>(null);
  const recently = useRecent();
  const queries = useQueryClient();
  const { serial } = device;

  const start = useCallback(
    async ({ request, inputs, slots, mine }: Start) => {
      const controller = new AbortController();
      abort.current?.abort();
      abort.current = controller;
      let at: Shown | null = null;
      setStopping(false);
      setRun({ kind: "running", now: null });
      const over = card.begin(serial);
      try {
        // Fresh: an administrator may have chosen otherwise since the page was opened.
        const plan =
          request.what === "setup" ? planOf(await queries.fetchQuery({ ...profilesQuery(serial), staleTime: 0 })) : [];
        const result = await carryOut({
          request,
          plan,
          inputs,
          slots,
          options: {
            serial,
            recently,
            signal: controller.signal,
            ...(mine ? {} : { reason: inputs.reason.trim() }),
            confirm: (question) =>
              new Promise((resolve) => {
                const answer = (yes: boolean) => {
                  setAsked(null);
                  resolve(yes);
                };
                controller.signal.addEventListener("abort", () => answer(false), { once: true });
                setAsked({ question, answer });
              }),
          },
          tell: (now) => {
            at = now.shown;
            setRun({ kind: "running", now });
          },
        });
        setRun({ kind: "done", result });
      } catch (error) {
        // Who says no to a question or to the password stopped it; nothing failed.
        const own = controller.signal.aborted || error instanceof Cancelled || isOutcome(error, "slot_occupied");
        setRun(own ? { kind: "stopped", at } : { kind: "failed", error, at });
      } finally {
        setAsked(null);
        over();
        // The card first: what is on record is judged by what it holds.
        await queries.invalidateQueries({ queryKey: ["card", serial] });
        for (const queryKey of [["hwkey", serial], ["hwkey", "mine"], ["hwkeys"], ["certificates"]]) {
          void queries.invalidateQueries({ queryKey });
        }
      }
    },
    [serial, recently, queries],
  );
  // A change of the card is never left in the middle: a stop waits for the step's end.
  const stop = useCallback(() => {
    abort.current?.abort();
    setStopping(true);
  }, []);
  const ask = useCallback(() => setRun({ kind: "asking" }), []);

  useEffect(() => () => abort.current?.abort(), []);
  const onCard = run.kind === "running" && run.now !== null && busyOnCard(run.now.event);
  useEffect(() => {
    if (!onCard) return;
    const warn = (e: BeforeUnloadEvent) => e.preventDefault();
    addEventListener("beforeunload", warn);
    return () => removeEventListener("beforeunload", warn);
  }, [onCard]);
  return { run, asked, stopping, start, stop, ask };
}
