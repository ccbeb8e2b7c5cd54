import classes from "./meter.module.css";

export type Tone = "good" | "warn" | "bad" | "other";
type Props = {
  /** What it shows, in words: it stands for the picture. */
  label: string;
  /** Shares of the whole, 0 to 1 each; what is left stays empty. */
  parts: { share: number; tone: Tone }[];
  thin?: boolean;
};

/** Meter is a bar that shows shares of a whole. */
export function Meter({ label, parts, thin = false }: Props) {
  return (
    <div className={`${classes.track} ${thin ? classes.thin : ""}`} role="img" aria-label={label}>
      {parts.map((part) => (
        <div
          key={part.tone}
          className={`${classes.part} ${classes[part.tone]}`}
          // A sliver is seen, too.
          style={{ width: part.share > 0 ? `max(3px, ${Math.min(1, part.share) * 100}%)` : 0 }}
        />
      ))}
    </div>
  );
}
