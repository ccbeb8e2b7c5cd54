import { TheDesk } from "../../desk/page";

export function Desk() {
  return <TheDesk />;
}
