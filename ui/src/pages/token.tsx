import { Page } from "../parts/page";

export function Token() {
  return <Page title="Token">{null}</Page>;
}
