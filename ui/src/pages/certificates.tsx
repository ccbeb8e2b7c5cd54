import { Page } from "../parts/page";

export function Certificates() {
  return <Page title="Certificates">{null}</Page>;
}
