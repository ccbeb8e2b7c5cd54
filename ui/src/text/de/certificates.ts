import type { Catalogue } from "../en";

export const certificates: Catalogue["certificates"] = {
  state: { expiring: "Läuft bald ab", unconfirmed: "Nicht bestätigt" },
};
