import { ReplaceToken } from "../replace/page";

export function Replace() {
  return <ReplaceToken />;
}
