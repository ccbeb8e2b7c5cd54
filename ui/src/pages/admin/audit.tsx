import { Page } from "../../parts/page";

export function Audit() {
  return <Page title="Audit">{null}</Page>;
}
