import { Page } from "../../parts/page";

export function People() {
  return <Page title="People">{null}</Page>;
}
