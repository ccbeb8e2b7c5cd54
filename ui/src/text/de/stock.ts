import type { Catalogue } from "../en";

export const stock: Catalogue["stock"] = {};
