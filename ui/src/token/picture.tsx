import type { Catalogue } from "../text";
import { useText } from "../text";
import { Frame, Plug, shapeOf } from "./body";
import classes from "./picture.module.css";
import { type Light, type SlotName, type SlotView, slotNames } from "./slots";

/** Activity is what a flow does with the token at this moment: the part that moves. */
export type Activity = {
  part: "read" | "frame" | "pin" | "puk" | "slot" | "out" | "in" | "done";
  slot?: SlotName;
  /** The token may wait for a finger. */
  touch?: boolean;
};

type Props = {
  serial: string;
  formFactor?: string;
  model?: string;
  slots: readonly Pick<SlotView, "slot" | "light">[];
  /** Tries left; null where the token does not tell. */
  tries?: { pin: number | null; puk: number | null };
  /** Whether it is in this computer now. */
  plugged?: boolean;
  active?: Activity | undefined;
  /** Too small for letters below 80. */
  width?: number;
};

/** say describes the picture in words: the same, for who does not see it. */
function say(words: Catalogue["tokens"]["picture"], props: Props): string {
  const slots = props.slots.map((s) => `${s.slot} ${words.lights[s.light]}`).join(", ");
  const tries = props.tries;
  const counted = [
    tries && tries.pin !== null ? words.pinTries(tries.pin) : "",
    tries && tries.puk !== null ? words.pukTries(tries.puk) : "",
  ].filter(Boolean);
  return [props.plugged ? words.plugged(props.serial) : words.away(props.serial), words.slots(slots), ...counted]
    .join(". ")
    .concat(".");
}

/** TokenPicture draws a token: its slots lit by what they hold, its tries as dots, the part at work moving. */
export function TokenPicture(props: Props) {
  const { slots, tries, plugged = false, active, width = 120, formFactor = "", model } = props;
  const words = useText().tokens.picture;
  const shape = shapeOf(formFactor, model);
  const part = active?.part;
  const lights = new Map(slots.map((s) => [s.slot, s.light]));
  return (
    <svg
      className={`${classes.token} ${plugged ? "" : classes.away}`}
      viewBox="0 0 132 292"
      width={width}
      height={(width * 292) / 132}
      role="img"
      aria-label={say(words, props)}
    >
      <Plug shape={shape} />
      <Frame shape={shape} running={part === "frame"} />
      {part === "read" || part === "out" || part === "in" ? (
        <g className={part === "out" ? classes.out : classes.in}>
          <circle className={classes.bit} cx="56" cy="36" r="3" />
          <circle className={classes.bit} cx="66" cy="36" r="3" />
          <circle className={classes.bit} cx="76" cy="36" r="3" />
        </g>
      ) : null}
      <Sensor bio={shape.bio} touch={active?.touch ?? false} done={part === "done"} />
      {slotNames.map((slot, i) => (
        <Slot
          key={slot}
          slot={slot}
          light={lights.get(slot) ?? "empty"}
          x={20 + (i % 2) * 48}
          y={144 + Math.floor(i / 2) * 34}
          bare={width < 80}
          active={active?.slot === slot && (part === "slot" || part === "in" || part === "out")}
        />
      ))}
      {tries ? (
        <>
          <Tries label="PIN" left={tries.pin} y={228} active={part === "pin"} />
          <Tries label="PUK" left={tries.puk} y={245} active={part === "puk"} />
        </>
      ) : null}
    </svg>
  );
}

/** Sensor is what a finger touches. Only a few models look at the finger. */
function Sensor({ bio, touch, done }: { bio: boolean; touch: boolean; done: boolean }) {
  return (
    <g>
      {touch ? <circle className={`${classes.gold} ${classes.halo}`} cx="66" cy="98" r="30" strokeWidth="3" /> : null}
      <circle className={classes.disc} cx="66" cy="98" r="27" />
      <circle className={classes.gold} cx="66" cy="98" r="27" strokeWidth={touch ? 4 : 2.5} />
      {done ? (
        <path className={classes.done} d="M54 99 l9 9 l16 -19" />
      ) : bio ? (
        <g className={classes.gold} strokeWidth="2" strokeLinecap="round">
          <path d="M53 105 a14 14 0 1 1 26 0" />
          <path d="M58 108 v-9 a8 8 0 0 1 16 0 v9" />
          <path d="M66 99 v12" />
        </g>
      ) : (
        <circle className={classes.gold} cx="66" cy="98" r="18" strokeWidth="1.5" />
      )}
    </g>
  );
}

const marks: Partial<Record<Light, string>> = {
  valid: "M0 0 l3 3 l6 -7",
  soon: "M4 -5 v5 M4 3.6 v0.2",
  expired: "M1 -4 l7 7 M8 -4 l-7 7",
  revoked: "M1 -4 l7 7 M8 -4 l-7 7",
  unfinished: "M4 -5 v5 M4 3.6 v0.2",
  foreign: "M1.5 -3 a3 3 0 1 1 4 3 v1.5 M5.2 4.3 v0.2",
  key: "M0 0 a2.6 2.6 0 1 0 5.2 0 a2.6 2.6 0 1 0 -5.2 0 M5.2 0 h5 v2.6",
  unconfirmed: "M0.5 0 v0.2 M4.5 0 v0.2 M8.5 0 v0.2",
};

type SlotProps = { slot: SlotName; light: Light; x: number; y: number; bare: boolean; active: boolean };

function Slot({ slot, light, x, y, bare, active }: SlotProps) {
  const mark = marks[light];
  return (
    <g className={`${classes.slot} ${classes[light] ?? ""}`} transform={`translate(${x} ${y})`}>
      <rect className={active ? classes.pulse : undefined} width="44" height="28" rx="7" />
      {active ? <rect className={classes.ring} width="44" height="28" rx="7" style={{ fill: "none" }} /> : null}
      {bare ? null : (
        <text className={classes.text} x={mark ? 7 : 15} y="18">
          {slot}
        </text>
      )}
      {mark && !bare ? <path className={classes.mark} d={mark} transform="translate(28 14)" /> : null}
    </g>
  );
}

function Tries({ label, left, y, active }: { label: string; left: number | null; y: number; active: boolean }) {
  const all = Math.max(3, left ?? 0);
  const shown = left !== null && all <= 6;
  return (
    <g className={active ? classes.pulse : undefined}>
      <text className={classes.small} x="24" y={y + 3.5}>
        {label}
      </text>
      {left === null ? (
        <text className={classes.small} x="58" y={y + 3.5}>
          –
        </text>
      ) : shown ? (
        Array.from({ length: all }, (_, i) => i).map((i) => (
          <circle
            key={i}
            className={i >= left ? classes.spent : left === 1 ? classes.few : classes.dot}
            cx={60 + i * 13}
            cy={y}
            r={i >= left ? 3.6 : 4.2}
          />
        ))
      ) : (
        <text className={classes.text} x="56" y={y + 4}>
          {left}
        </text>
      )}
    </g>
  );
}
