import type { ReactNode } from "react";
import classes from "./fields.module.css";

/** Fields is a list of terms and what stands for them. */
export function Fields({ children }: { children: ReactNode }) {
  return <dl className={classes.fields}>{children}</dl>;
}

/** Field is one term of Fields. */
export function Field({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className={classes.field}>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
