import { Page } from "../../parts/page";

export function Webhooks() {
  return <Page title="Webhooks">{null}</Page>;
}
