import { Page } from "../../parts/page";

export function Stock() {
  return <Page title="Stock">{null}</Page>;
}
