import type { Catalogue } from "../en";

export const webhooks: Catalogue["webhooks"] = {};
