import { Page } from "../../parts/page";

export function ApiKeys() {
  return <Page title="ApiKeys">{null}</Page>;
}
