import first from "./first";
import rest from "./rest";

/** English. Every other language has this shape; a text that takes values is a function. */
const en = { ...first, ...rest };
export default en;
export type Catalogue = typeof en;
