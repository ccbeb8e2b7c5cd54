import { OneToken } from "../token/one";

export function Token() {
  return <OneToken />;
}
