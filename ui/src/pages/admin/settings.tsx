import { Page } from "../../parts/page";

export function Settings() {
  return <Page title="Settings">{null}</Page>;
}
