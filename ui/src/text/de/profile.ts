import type { Catalogue } from "../en";

export const profile: Catalogue["profile"] = {};
