import { Card, Text, ThemeIcon } from "@mantine/core";
import type { ComponentType, ReactNode } from "react";
import { useText } from "../text";
import classes from "./proposal.module.css";

export type Tone = "urgent" | "soon" | "calm" | "good";
const colors: Record<Tone, string> = { urgent: "red", soon: "orange", calm: "gray", good: "accent" };

type Props = {
  tone: Tone;
  icon: ComponentType<{ size?: number; stroke?: number }>;
  title: string;
  text?: ReactNode;
  /** The button that does it, or leads to where it is done. */
  action?: ReactNode;
};

/** Proposal says what to do next with what a page is about, with the button for it. */
export function Proposal({ tone, icon: Sign, title, text, action }: Props) {
  const t = useText();
  return (
    <Card component="section" aria-label={t.common.next} data-tone={tone}>
      <div className={classes.proposal}>
        <ThemeIcon variant="light" color={colors[tone]} size={44} radius="xl" aria-hidden>
          <Sign size={24} stroke={1.8} />
        </ThemeIcon>
        <div className={classes.said}>
          <Text fw={650}>{title}</Text>
          {text ? (
            <Text size="sm" c="dimmed">
              {text}
            </Text>
          ) : null}
        </div>
        {action ? <div className={classes.action}>{action}</div> : null}
      </div>
    </Card>
  );
}
