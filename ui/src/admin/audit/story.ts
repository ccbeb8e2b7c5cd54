import type { Catalogue } from "../../text";
import { statuses } from "../stock/statuses";
import { phrase } from "./actions";
import { type Deed, storyOf } from "./fold";

function statusWord(t: Catalogue, status: string): string {
  const known = statuses.find((s) => s === status);
  return known ? t.common.status[known] : status;
}

/** storyWords say in a line what a person did. */
export function storyWords(t: Catalogue, deed: Deed): string {
  const words = t.audit.deeds;
  const story = storyOf(deed);
  const named = phrase(t.audit, story.main.action) ?? story.main.action;
  switch (story.what) {
    case "setUp":
      return story.owner ? words.setUpFor(story.serial, story.owner) : words.setUp(story.serial);
    case "left":
      return words.left(story.tokens, story.certificates);
    case "status":
      return words.status(statusWord(t, story.from), statusWord(t, story.to));
    case "assignedTo":
      return words.assignedTo(story.owner);
    case "same":
    case "main":
      return named;
    default:
      return words[story.what];
  }
}
