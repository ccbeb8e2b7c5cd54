import type { First } from "../en/first";
import { common } from "./common";
import { login } from "./login";

const first: First = { common, login };
export default first;
