import type { Catalogue } from "../en";

export const agent: Catalogue["agent"] = {};
