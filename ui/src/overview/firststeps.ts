import type { Schema } from "../api/client";

export type Steps = Schema<"FirstSteps">;
export type Step = keyof Omit<Steps, "$schema">;

/** The order in which one step makes the next one easier. */
export const order = ["tls", "organization", "people", "token", "mail", "backup"] as const satisfies Step[];

/** open are the steps that are not done, in their order. */
export function open(steps: Steps): Step[] {
  return order.filter((step) => !steps[step]);
}
