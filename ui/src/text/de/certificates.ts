import type { Catalogue } from "../en";

export const certificates: Catalogue["certificates"] = {};
