import type { Catalogue } from "../en";

export const flow: Catalogue["flow"] = {};
