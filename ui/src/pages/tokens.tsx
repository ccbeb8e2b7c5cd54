import { MyTokens } from "../token/mine";

export function Tokens() {
  return <MyTokens />;
}
