import type { components } from "../api/agent.gen";

/** Schemas of api/agent.yaml by name: AgentSchema<"PIVInfo">. */
export type AgentSchema<Name extends keyof components["schemas"]> = components["schemas"][Name];

/** AgentKey is an agent's key, and its identity's word for it at this site. */
export type AgentKey = AgentSchema<"PublicKey">;
