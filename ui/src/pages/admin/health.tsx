import { Page } from "../../parts/page";

export function Health() {
  return <Page title="Health">{null}</Page>;
}
