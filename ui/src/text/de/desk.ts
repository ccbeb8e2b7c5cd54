import type { Catalogue } from "../en";

export const desk: Catalogue["desk"] = {
  give: { taken: (name) => `Diesen Token hat ${name}. Nehmen Sie ihn erst zurück, oder wählen Sie einen anderen.` },
};
