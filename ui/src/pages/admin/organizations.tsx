import { Page } from "../../parts/page";

export function Organizations() {
  return <Page title="Organizations">{null}</Page>;
}
