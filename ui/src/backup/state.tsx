import {
  IconAlertTriangle,
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconClock,
  IconPlayerPlay,
  IconPuzzleOff,
} from "@tabler/icons-react";
import type { ComponentProps } from "react";
import { Status } from "../parts/status";
import { useText } from "../text";
import { type State, stateOf } from "./phases";
import type { Job } from "./types";

const looks: Record<State, Omit<ComponentProps<typeof Status>, "children">> = {
  Pending: { color: "gray", icon: IconClock },
  Running: { color: "blue", icon: IconPlayerPlay },
  Completed: { color: "accent", icon: IconCircleCheck },
  Warnings: { color: "orange", icon: IconAlertTriangle },
  Failed: { color: "red", icon: IconCircleX },
  VaultIncomplete: { color: "red", icon: IconPuzzleOff },
  Cancelled: { color: "gray", icon: IconBan },
};

/** JobState shows how a job stands, or how it ended. */
export function JobState({ job }: { job: Job }) {
  const words = useText().backups.jobs.states;
  const state = stateOf(job);
  return <Status {...looks[state]}>{words[state]}</Status>;
}
