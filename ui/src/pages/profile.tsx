import { Page } from "../parts/page";

export function Profile() {
  return <Page title="Profile">{null}</Page>;
}
