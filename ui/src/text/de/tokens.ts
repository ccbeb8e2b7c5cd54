import type { Catalogue } from "../en";

export const tokens: Catalogue["tokens"] = {};
