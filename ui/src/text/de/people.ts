import type { Catalogue } from "../en";

export const people: Catalogue["people"] = {};
