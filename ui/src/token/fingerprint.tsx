import classes from "./pill.module.css";

/** Fingerprint shows a key's fingerprint in groups, so that two can be compared by eye. */
export function Fingerprint({ value }: { value: string }) {
  return <span className={classes.fingerprint}>{(value.match(/.{1,4}/g) ?? []).join(" ")}</span>;
}
