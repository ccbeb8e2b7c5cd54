import { Page } from "../../parts/page";

export function Import() {
  return <Page title="Import">{null}</Page>;
}
