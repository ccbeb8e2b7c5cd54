import { Text, VisuallyHidden } from "@mantine/core";
import { IconAlertTriangle, IconCheck, IconHandFinger } from "@tabler/icons-react";
import { type Catalogue, useText } from "../text";
import { type Shown, stagesOf } from "./activity";
import type { Progress } from "./carry";
import classes from "./flow.module.css";
import type { Request } from "./next";

/** stageName gives a stage's words. */
function stageName(t: Catalogue, stage: Shown): string {
  return stage === "your_pin" ? t.tokens.flow.yourPin : t.flow.stages[stage];
}

type Props = {
  what: Request["what"];
  at: Shown | null;
  /** all: every step is done. failed: it stopped at `at`. */
  state: "running" | "all" | "failed";
};

/** Steps lists a flow's steps, what is done and what runs. */
export function Steps({ what, at, state }: Props) {
  const t = useText();
  const words = t.tokens.flow;
  const stages = stagesOf(what);
  const index = state === "all" ? stages.length : at ? stages.indexOf(at) : 0;
  return (
    <ol className={classes.steps} aria-label={words.steps}>
      {stages.map((stage, i) => {
        const how = i < index ? "done" : i > index ? "later" : state === "failed" ? "failed" : "now";
        return (
          <li
            key={stage}
            className={`${classes.step} ${classes[how] ?? ""}`}
            aria-current={how === "now" ? "step" : undefined}
          >
            <span className={classes.mark} aria-hidden="true">
              {how === "done" ? (
                <IconCheck size={13} stroke={3} />
              ) : how === "failed" ? (
                <IconAlertTriangle size={12} stroke={2.5} />
              ) : (
                i + 1
              )}
            </span>
            <span>
              {stageName(t, stage)}
              {how === "done" ? <VisuallyHidden>, {words.stepStates.done}</VisuallyHidden> : null}
            </span>
          </li>
        );
      })}
    </ol>
  );
}

/** Doing says in words what happens now, also to assistive technology; a token that waits for a finger comes first. */
export function Doing({ what, now, plugged }: { what: Request["what"]; now: Progress | null; plugged: boolean }) {
  const t = useText();
  const words = t.tokens.flow;
  const stages = stagesOf(what);
  const shown = now?.shown ?? stages[0];
  const step = shown ? words.stage(stages.indexOf(shown) + 1, stages.length, stageName(t, shown)) : "";
  const text = !plugged ? words.pulled : now ? t.flow.doing[now.event.step] : t.common.loading;
  const touch = plugged && (now?.event.touch ?? false);
  return (
    <div className={`${classes.doing} ${touch ? classes.touch : ""}`} role="status">
      {touch ? <IconHandFinger size={22} aria-hidden /> : null}
      <div>
        <VisuallyHidden>{step}. </VisuallyHidden>
        {touch ? (
          <Text size="sm" fw={650} component="span">
            {words.touch}{" "}
          </Text>
        ) : null}
        <Text size="sm" component="span">
          {text}
        </Text>
      </div>
    </div>
  );
}
