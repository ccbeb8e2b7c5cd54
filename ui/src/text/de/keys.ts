import type { Catalogue } from "../en";

export const keys: Catalogue["keys"] = {};
