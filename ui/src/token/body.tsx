import classes from "./picture.module.css";

/** Shape is what a token looks like, as far as its form factor tells. */
type Shape = { plug: "a" | "c"; nano: boolean; bio: boolean };

/** shapeOf reads a form factor such as "Keychain (USB-A)" or "Nano (USB-C)", and a model such as "YubiKey Bio". */
export function shapeOf(formFactor: string, model = ""): Shape {
  const text = formFactor.toLowerCase();
  return {
    plug: /usb-?a\b/.test(text) ? "a" : "c",
    nano: text.includes("nano"),
    bio: /\bbio\b/i.test(`${formFactor} ${model}`),
  };
}

/** Plug is what goes into the computer. */
export function Plug({ shape }: { shape: Shape }) {
  if (shape.plug === "a") {
    return (
      <g>
        <rect className={classes.metal} x="34" y="6" width="64" height="62" rx="3" />
        <rect className={classes.hole} x="45" y="17" width="12" height="10" rx="1.5" />
        <rect className={classes.hole} x="75" y="17" width="12" height="10" rx="1.5" />
      </g>
    );
  }
  return (
    <g>
      <rect className={classes.metal} x="43" y="10" width="46" height="62" rx="10" />
      <rect className={classes.hole} x="53" y="15" width="26" height="5" rx="2.5" />
    </g>
  );
}

/** Frame is the token's body; running shows that its management key is at work. */
export function Frame({ shape, running }: { shape: Shape; running: boolean }) {
  const height = shape.nano ? 208 : 232;
  return (
    <g>
      <rect className={classes.body} x="8" y="54" width="116" height={height} rx={shape.nano ? 16 : 24} />
      {running ? (
        <rect className={classes.frame} x="8" y="54" width="116" height={height} rx={shape.nano ? 16 : 24} />
      ) : null}
      {shape.nano ? null : (
        <circle cx="66" cy="268" r="7" style={{ fill: "var(--panel)", stroke: "var(--line)", strokeWidth: 1.5 }} />
      )}
    </g>
  );
}
