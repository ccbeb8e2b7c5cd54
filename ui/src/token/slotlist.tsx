import { Anchor, Group, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { Schema } from "../api/client";
import { Lifetime } from "../parts/lifetime";
import { useText } from "../text";
import classes from "./card.module.css";
import { purposeOf } from "./purpose";
import type { SlotView } from "./slots";

/** SlotChip is a slot's name in the colour of what it holds. */
export function SlotChip({ slot, light }: Pick<SlotView, "slot" | "light">) {
  return <span className={`${classes.chip} ${classes[light] ?? ""}`}>{slot}</span>;
}

/** SlotBar is one slot in a line: what it is for, whose certificate it holds, and how long that lives. */
function SlotBar({ view, reading, purpose }: { view: SlotView; reading: boolean; purpose: string | undefined }) {
  const words = useText().tokens;
  const held = view.certificate;
  // What the card holds beside the record is told when it was read.
  const note = reading && !held ? "" : noteOf(view, words.slot);
  return (
    <li className={classes.slot}>
      <SlotChip slot={view.slot} light={view.light} />
      <div style={{ minWidth: 0 }}>
        <Group gap="0 6px">
          <Text size="sm" c={held ? undefined : "dimmed"} component="span">
            {words.slots[view.slot]}
            {held ? (
              <>
                {" · "}
                {view.recorded ? (
                  <Anchor
                    component={Link}
                    to={`/certificates/${held.serialNumber}`}
                    c="inherit"
                    inherit
                    underline="always"
                  >
                    {held.name}
                  </Anchor>
                ) : (
                  held.name
                )}
              </>
            ) : null}
            {held || !note ? null : ` · ${note}`}
          </Text>
          {held && note ? (
            <Text size="xs" className={classes.warn} component="span">
              {note}
            </Text>
          ) : null}
        </Group>
        {purpose ? (
          <Text size="xs" c="dimmed">
            {purpose}
          </Text>
        ) : null}
        {held ? <Lifetime notBefore={held.notBefore} notAfter={held.notAfter} status={held.status} /> : null}
      </div>
    </li>
  );
}

function noteOf(
  view: SlotView,
  words: {
    [K in
      | "empty"
      | "nothingOnRecord"
      | "key"
      | "unreadable"
      | "foreign"
      | "missing"
      | "unconfirmed"
      | "unfinished"]: string;
  },
): string {
  if (!view.certificate) {
    if (view.light === "key") return words.key;
    if (view.light === "foreign") return words.unreadable;
    return view.onCard === null ? words.nothingOnRecord : words.empty;
  }
  if (view.light === "foreign") return words.foreign;
  if (view.onCard === false) return words.missing;
  return view.light === "unconfirmed" || view.light === "unfinished" ? words[view.light] : "";
}

type Props = {
  views: readonly SlotView[];
  label: string;
  /** The card is being read. */
  reading?: boolean;
  /** What the slots are for, where that is to be said. */
  profiles?: Schema<"UsableProfiles"> | undefined;
};

/** SlotList is all of a token's slots, in lines. */
export function SlotList({ views, label, reading = false, profiles }: Props) {
  const t = useText();
  return (
    <ul className={classes.slots} aria-label={label}>
      {views.map((v) => (
        <SlotBar
          key={v.slot}
          view={v}
          reading={reading}
          purpose={profiles && purposeOf(t, profiles, v.slot, v.certificate?.profile)}
        />
      ))}
    </ul>
  );
}
