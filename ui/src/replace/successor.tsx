import { Autocomplete, Button, Group, Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { keepPreviousData, useQueries, useQuery } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { dangerous } from "../admin/colors";
import { useAgent } from "../agent/state";
import { api, ask } from "../api/client";
import { called, identified } from "../parts/person";
import { useText } from "../text";
import { deviceQuery, searchedQuery } from "../token/data";
import type { Device } from "../token/next";
import { type Fit, fitOf, fits, isGiven, looked } from "./standing";

/** A serial number has at least so many characters. */
const least = 4;

/** useFit tells how the token with a typed serial number stands; undefined: nothing is typed, or it is asked for. */
export function useFit(old: Device, typed: string): { fit: Fit; device: Device | null } | undefined {
  const query = useQuery({ ...searchedQuery(typed), enabled: typed.length >= least });
  if (typed.length < least || query.data === undefined) return undefined;
  return { fit: fitOf(old, typed, query.data), device: query.data };
}

/** useTheirs lists a person's tokens. */
export function useTheirs(owner_id: number | undefined) {
  return useQuery({
    queryKey: ["hwkeys", "owner", owner_id],
    queryFn: () => ask(api.GET("/api/hwkey", { params: { query: { owner_id, limit: 100 } } })),
    enabled: owner_id !== undefined,
  });
}

/** useHere lists the tokens in this computer that can be the successor, and takes one that is plugged in meanwhile. */
function useHere(old: Device, value: string, take: (serial: string) => void): string[] {
  const agent = useAgent();
  const ready = "tokens" in agent && !agent.reading;
  const plugged = "tokens" in agent ? agent.tokens.filter((p) => p.serial !== old.serial) : [];
  const records = useQueries({ queries: plugged.map((p) => deviceQuery(p.serial)) });
  const here = plugged.map(({ serial }, i) => {
    const device = records[i]?.data;
    const suits = device === undefined ? undefined : !device?.enrolled_at && fits(fitOf(old, serial, device));
    return { serial, suits };
  });
  const seen = useRef<Set<string>>(undefined);
  const taken = useRef("");
  useEffect(() => {
    if (!ready) return;
    const now = looked(seen.current, here);
    seen.current = now.seen;
    // What somebody typed stays.
    if (!now.came || (value.trim() && value !== taken.current)) return;
    taken.current = now.came;
    take(now.came);
  });
  return here.filter((h) => h.suits).map((h) => h.serial);
}

type Props = { old: Device; value: string; onChange: (serial: string) => void; optional: boolean; error?: unknown };

/** Successor asks for the token that takes another's place: plugged in, scanned, typed or from stock. */
export function Successor({ old, value, onChange, optional }: Props) {
  const t = useText();
  const words = t.replace;
  const agent = useAgent();
  const owner = old.owner;
  const here = useHere(old, value, onChange);
  const [q] = useDebouncedValue(value.trim(), 250);
  const theirs = useTheirs(owner?.id);
  const organization_id = old.organization_id ?? undefined;
  const stock = useQuery({
    queryKey: ["hwkeys", "stock", organization_id, q],
    queryFn: () =>
      ask(
        api.GET("/api/hwkey", {
          params: { query: { status: "in_stock", organization_id, q: q || undefined, limit: 10 } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const known = new Map<string, string>();
  const add = (serial: string, hint: string) => {
    if (serial === old.serial || known.has(serial) || !serial.includes(q)) return [];
    known.set(serial, hint);
    return [serial];
  };
  const plugged = "tokens" in agent ? agent.tokens : [];
  const given = (theirs.data?.items ?? []).filter((d) => isGiven(d));
  const about = (d: Pick<Device, "label" | "model">) => [d.label, d.model].filter(Boolean).join(" · ");
  const data = [
    { group: words.groups.plugged, items: plugged.flatMap((p) => add(p.serial, p.model)) },
    { group: words.groups.theirs, items: given.flatMap((d) => add(d.serial, about(d))) },
    { group: words.groups.stock, items: (stock.data?.items ?? []).flatMap((d) => add(d.serial, about(d))) },
  ].filter(({ items }) => items.length > 0);
  const name = owner ? called(owner) : "";
  return (
    <div>
      <Autocomplete
        label={words.successor}
        description={optional ? words.successorHint(name) : words.successorNeeded(name)}
        value={value}
        onChange={onChange}
        data={data}
        filter={({ options }) => options}
        maxLength={64}
        autoComplete="off"
        spellCheck={false}
        // A scanner ends with Enter, which must not yet take the old token out of use.
        onKeyDown={(e) => {
          if (e.key === "Enter") e.preventDefault();
        }}
        renderOption={({ option }) => (
          <div>
            <Text size="sm" className="mono">
              {option.value}
            </Text>
            <Text size="xs" c="dimmed">
              {known.get(option.value)}
            </Text>
          </div>
        )}
      />
      <Said old={old} typed={q} />
      {value.trim() === "" && here.length > 0 ? (
        <Group gap={6} mt={6}>
          <Text size="sm" c="dimmed">
            {words.groups.plugged}:
          </Text>
          {here.map((serial) => (
            <Button key={serial} size="compact-sm" variant="default" className="mono" onClick={() => onChange(serial)}>
              {serial}
            </Button>
          ))}
        </Group>
      ) : null}
    </div>
  );
}

/** Said is how the typed token stands. */
function Said({ old, typed }: { old: Device; typed: string }) {
  const t = useText();
  const words = t.replace.fits;
  const found = useFit(old, typed);
  if (!found) return null;
  const { fit, device } = found;
  const wrong = fit === "same" || fit === "others" || fit === "out";
  const said =
    fit === "others"
      ? words.others(device?.owner ? identified(device.owner) : "")
      : fit === "out"
        ? words.out(device ? t.common.status[device.status] : "")
        : words[fit];
  return (
    <Text size="sm" mt={6} c={wrong ? dangerous : "dimmed"} role="status">
      {said}
      {device && !wrong && device.model ? ` ${device.model}` : ""}
    </Text>
  );
}
