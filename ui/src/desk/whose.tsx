import type { Schema } from "../api/client";
import { Free } from "../parts/free";
import { TextLink } from "../parts/link";
import { identified } from "../parts/person";

/** Whose leads to the person who has a token. */
export function Whose({ owner }: { owner: NonNullable<Schema<"HWKey">["owner"]> }) {
  return (
    <TextLink to="/admin/people/$id" params={{ id: String(owner.id) }} size="sm">
      <Free>{identified(owner)}</Free>
    </TextLink>
  );
}
