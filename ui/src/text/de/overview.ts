import type { Catalogue } from "../en";

export const overview: Catalogue["overview"] = {};
