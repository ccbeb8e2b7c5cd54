import type { components } from "../api/agent.gen";

/** Schemas of api/agent.yaml by name: AgentSchema<"PIVInfo">. */
export type AgentSchema<Name extends keyof components["schemas"]> = components["schemas"][Name];
