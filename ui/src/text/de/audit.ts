import type { Catalogue } from "../en";

export const audit: Catalogue["audit"] = {};
