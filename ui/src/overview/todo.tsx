import { Stack, Text, ThemeIcon } from "@mantine/core";
import { IconCircleCheck } from "@tabler/icons-react";
import type { ComponentType, ReactNode } from "react";
import classes from "./todo.module.css";

export type Task = {
  id: string;
  tone: "urgent" | "soon" | "calm";
  icon: ComponentType<{ size?: number; stroke?: number }>;
  text: string;
  /** A button that leads to where it is done. */
  action: ReactNode;
};

const colors = { urgent: "red", soon: "orange", calm: "gray" };
const tones = ["urgent", "soon", "calm"];

/** Todo lists what needs doing, the most pressing first, each with the way to do it. */
export function Todo({ tasks }: { tasks: Task[] }) {
  const sorted = [...tasks].sort((a, b) => tones.indexOf(a.tone) - tones.indexOf(b.tone));
  return (
    <ul className={classes.list}>
      {sorted.map(({ id, tone, icon: Sign, text, action }) => (
        <li key={id} className={classes.task}>
          <ThemeIcon variant="light" color={colors[tone]} size={32} radius="xl" aria-hidden>
            <Sign size={18} stroke={1.8} />
          </ThemeIcon>
          <Text className={classes.text}>{text}</Text>
          {action}
        </li>
      ))}
    </ul>
  );
}

/** Nothing says warmly that there is nothing to do. */
export function Nothing({ title, text }: { title: string; text: string }) {
  return (
    <div className={classes.task}>
      <ThemeIcon variant="light" size={44} radius="xl" aria-hidden>
        <IconCircleCheck size={26} stroke={1.8} />
      </ThemeIcon>
      <Stack gap={0} className={classes.text}>
        <Text fw={650}>{title}</Text>
        <Text size="sm" c="dimmed">
          {text}
        </Text>
      </Stack>
    </div>
  );
}
