import type { Sentences } from "../sentences";

/** What problems and jobs say: the server says it in English, and as programs write a time. */
export const sentences = {
  "license_rejected/expired": "This license expired on {expiry_date:day}. Ask the vendor for a new one.",
  "license_rejected/older":
    "A license that was issued later, on {issue_date:day}, was stored here before. Confirm it to go back to this older one.",
} as Sentences;

/** What is wrong with an input: the server says that, too. */
export const fields: Sentences = {};
