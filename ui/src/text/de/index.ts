import type { Catalogue } from "../en";
import first from "./first";
import rest from "./rest";

const de: Catalogue = { ...first, ...rest };
export default de;
