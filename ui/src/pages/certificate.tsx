import { Page } from "../parts/page";

export function Certificate() {
  return <Page title="Certificate">{null}</Page>;
}
