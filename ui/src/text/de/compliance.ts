import type { Catalogue } from "../en";

export const compliance: Catalogue["compliance"] = {};
