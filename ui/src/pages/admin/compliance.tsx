import { Page } from "../../parts/page";

export function Compliance() {
  return <Page title="Compliance">{null}</Page>;
}
