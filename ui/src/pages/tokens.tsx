import { Page } from "../parts/page";

export function Tokens() {
  return <Page title="Tokens">{null}</Page>;
}
