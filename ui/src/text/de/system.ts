import type { Catalogue } from "../en";

export const system: Catalogue["system"] = {};
