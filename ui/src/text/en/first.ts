import { common } from "./common";
import { login } from "./login";

/** What the pages say before the frame is there: a file of its own, since every visit waits for it. */
const first = { common, login };
export default first;
export type First = typeof first;
