import { Text, VisuallyHidden } from "@mantine/core";
import { IconHandFinger } from "@tabler/icons-react";
import { type StepShown, Steps } from "../parts/steps";
import { type Catalogue, useText } from "../text";
import { type Shown, stagesOf } from "./activity";
import type { Progress } from "./carry";
import classes from "./flow.module.css";
import { usePlain } from "./named";
import type { Request } from "./next";
import { type SlotName, slotNames } from "./slots";

/** stageName gives a stage's words. */
function stageName(
  t: Catalogue,
  plain: boolean,
  { request, mine }: Pick<Props, "request" | "mine">,
  stage: Shown,
): string {
  const words = t.tokens.flow;
  if (stage === "your_pin") return mine ? words.yourPin : words.ownersPin;
  if (stage === "pin" && request.what === "setup") return words.firstPin;
  if (!isSlot(stage)) return t.flow.stages[stage];
  return plain ? words.plainStage(t.tokens.slots[stage]) : words.slotStage(stage, t.tokens.slots[stage]);
}

function isSlot(stage: Shown): stage is SlotName {
  return slotNames.some((slot) => slot === stage);
}

type Props = {
  request: Request;
  /** The person is the token's owner. */
  mine: boolean;
  /** The slots that a set-up fills. */
  plan: readonly SlotName[];
  at: Shown | null;
  /** all: every step is done. failed: it stopped at `at`. */
  state: "running" | "all" | "failed";
};

/** FlowSteps lists a flow's steps, what is done and what runs. */
export function FlowSteps({ request, mine, plan, at, state }: Props) {
  const t = useText();
  const plain = usePlain();
  const stages = stagesOf(request, plan);
  const index = state === "all" ? stages.length : at ? stages.indexOf(at) : 0;
  const steps = stages.map((stage, i): StepShown => {
    const how = i < index ? "done" : i > index ? "later" : state === "failed" ? "failed" : "now";
    return { name: stageName(t, plain, { request, mine }, stage), how };
  });
  return <Steps column label={t.tokens.flow.steps} steps={steps} />;
}

type Doings = { now: Progress | null; plugged: boolean };

/** Doing says in words what happens now, also to assistive technology; a token that waits for a finger comes first. */
export function Doing({ request, mine, plan, now, plugged }: Omit<Props, "at" | "state"> & Doings) {
  const t = useText();
  const plain = usePlain();
  const words = t.tokens.flow;
  const stages = stagesOf(request, plan);
  const shown = now?.shown ?? stages[0];
  const step = shown
    ? words.stage(stages.indexOf(shown) + 1, stages.length, stageName(t, plain, { request, mine }, shown))
    : "";
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
