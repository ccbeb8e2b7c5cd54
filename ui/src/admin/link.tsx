export { TextLink } from "../parts/link";
