import { VisuallyHidden } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import type { Listed } from "../../parts/listlink";
import classes from "./weeklink.module.css";

type Props = { list: Listed | undefined; said: string; children: ReactNode };

/** WeekLink is the column of a week, which leads to the certificates that end in it, if there are any. */
export function WeekLink({ list, said, children }: Props) {
  const inside = (
    <>
      <VisuallyHidden>{said}</VisuallyHidden>
      {children}
    </>
  );
  if (!list) return <span className={classes.week}>{inside}</span>;
  return (
    <Link to={list.to} search={list.search as never} className={classes.week}>
      {inside}
    </Link>
  );
}
