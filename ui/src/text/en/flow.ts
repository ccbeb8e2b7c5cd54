import type { Field, OutcomeCode, OverwriteReason, Stage, Step, Way } from "../../flow/types";

const stages: Record<Stage, string> = {
  connect: "Token and vault compared",
  management_key: "Management key",
  puk: "PUK",
  pin: "PIN",
  key: "Key made on the token",
  sign: "Certificate signed",
  import: "Certificate stored",
  retries: "Tries set anew",
  server: "Certificates revoked",
  card: "Token wiped",
  ready: "Ready",
};

const doing: Record<Step, string> = {
  agent: "Connecting to the agent on this computer.",
  read: "Reading the vault's record and the token.",
  probe: "Finding out which value the token holds.",
  settle: "Recording what the token holds.",
  rotation: "Having the vault make the new PIN safe.",
  refused: "The token refused that PIN by its own rules. It is unchanged.",
  management_key: "Setting the management key.",
  puk: "Setting the PUK.",
  pin: "Setting the PIN.",
  unblock: "Setting the PIN with the PUK.",
  readiness: "Asking whether a certificate would be issued.",
  key: "Making a key on the token. Touch the token if it blinks.",
  request: "Making a request with the key on the token. Touch the token if it blinks.",
  sign: "Having the certificate issued.",
  import: "Storing the certificate on the token.",
  installed: "Recording that the certificate is on the token.",
  enrolled: "Recording that the token is set up.",
  retries: "Setting the numbers of tries anew.",
  reset_server: "Revoking the certificates and making fresh secrets.",
  reset_card: "Wiping the token. Its keys are destroyed.",
  done: "Done.",
};

const fields: Record<Field, string> = { pin: "PIN", puk: "PUK", management_key: "management key" };

const overwrite: Record<OverwriteReason, (slot: string) => string> = {
  foreign: (slot) => `Slot ${slot} holds a certificate that is not from Keyward. Overwrite it and its key?`,
  other_key: (slot) => `Slot ${slot} holds a key of another kind. Overwrite it?`,
  imported_key: (slot) =>
    `Slot ${slot} holds a key without proof that it was made on this token, so somebody may have a copy. Make a new one in its place?`,
  unreadable: (slot) => `Slot ${slot} holds something that Keyward cannot read. Overwrite it?`,
  decryption_ended: (slot) =>
    `Slot ${slot} holds a decryption key whose certificate is no longer valid. What was encrypted for it can then not be read any more. Overwrite it?`,
  decryption: (slot) =>
    `Slot ${slot} holds a decryption key. With a new key, what was encrypted for the present one cannot be read any more. Make a new key?`,
};

const outcomes: Record<OutcomeCode, string> = {
  unknown:
    "The token holds none of the values that Keyward has on record. It was changed outside Keyward, or it is set up elsewhere.",
  retries_low:
    "Too few tries are left to find out which value the token holds. Nothing more was tried, so that nothing gets blocked.",
  pin_blocked: "The token's PIN is blocked.",
  puk_blocked: "The token's PUK is blocked.",
  pin_refused: "The token refuses this PIN by its own rules and keeps the one it had.",
  wrong_pin: "That is not the PIN of this token.",
  not_enrolled: "The slot holds no certificate from Keyward, so there is nothing to renew.",
  not_ready: "No certificate would be issued for this token now. No key was made.",
  slot_occupied: "You said no, so the slot was left as it is.",
  same_certificate: "The present certificate is still valid, and the same request gets no second one.",
  changed: "The token's secrets were changed by somebody else meanwhile.",
};

/** What an outcome is about is said where it makes a difference. */
const fieldOutcomes: Partial<Record<OutcomeCode, Record<Field, string>>> = {
  unknown: {
    pin: "The token's PIN is none of those that Keyward has on record. It was changed outside Keyward, or the token is set up elsewhere.",
    puk: "The token's PUK is none of those that Keyward has on record. It was changed outside Keyward, or the token is set up elsewhere.",
    management_key:
      "The token's management key is none of those that Keyward has on record. It was changed outside Keyward, or the token is set up elsewhere.",
  },
  retries_low: {
    pin: "The PIN has too few tries left to find out which one the token holds. Nothing more was tried, so that it does not get blocked.",
    puk: "The PUK has too few tries left to find out which one the token holds. Nothing more was tried, so that it does not get blocked.",
    management_key: "Too few tries are left to find out which management key the token holds.",
  },
  not_enrolled: {
    pin: "The token still has, or has again, the factory's PIN.",
    puk: "The token still has, or has again, the factory's PUK.",
    management_key: "The token still has, or has again, the factory's management key.",
  },
  changed: {
    pin: "The token refused the PIN that it held a moment ago: somebody else changed it meanwhile.",
    puk: "The token refused the PUK that it held a moment ago: somebody else changed it meanwhile.",
    management_key:
      "The token refused the management key that it held a moment ago: somebody else changed it meanwhile.",
  },
};

const ways: Record<Way, string> = {
  foreign: "Find out who changed it outside Keyward, and change it back with the program that changed it.",
  type_pin: "Type the PIN that the token has now. Keyward then takes it over.",
  unblock: "Unblock: set a new PIN with the PUK. You do not need to know either.",
  use_pin_once: "Enter the right PIN once in a program that uses the token. That refills its tries. Then start again.",
  set_retries: "Set the tries anew with the management key and the PIN. Then set up the token again; its keys stay.",
  reset: "Reset the token. This destroys its keys. Then set it up again.",
  enroll: "Set up the token.",
  again: "Start again. It begins by finding out what the token holds.",
  remove_obstacle: "Have this put right, then start again.",
  choose_other_pin: "Choose another PIN, without runs such as 1234 and without repeated digits.",
  agree: "Start again and agree, or choose another slot.",
  renew_new_key: "Renew with a new key.",
  revoke_first: "Revoke the present certificate first, then renew with its key.",
};

/** What stands in the way of a certificate, by the server's codes. A code that is not here is shown as it is. */
const reasons: Record<string, string> = {
  hwkey_in_stock: "The token is in stock. It has to be assigned to somebody first.",
  hwkey_suspended: "The token is suspended. An administrator can bring it back.",
  hwkey_lost: "The token is reported lost. An administrator can bring it back once it is found.",
  hwkey_retired: "The token is retired.",
  key_compromised: "The key was compromised, so it is never certified again.",
  firmware_too_old: "The token's firmware is older than what your organization allows.",
  firmware_unknown: "The token's firmware is not on record. An administrator has to add it.",
  owner_missing: "The token has no owner. An administrator has to assign it.",
  owner_disabled: "The owner's account is disabled.",
  recovery_required:
    "Signing is on hold: the database was changed, or the database or the vault was replaced by an older copy. Ask an administrator.",
  license_restricted:
    "The license of this installation lets no slot get its first certificate. An administrator has to upload a new license.",
  vault_unavailable: "The vault does not answer. Try again in a moment.",
  ca_expired: "The certificate authority has expired. An administrator has to renew it.",
};

export const flow = {
  stages,
  doing,
  fields,
  questions: {
    factory:
      "This token does not tell whether it still has the factory's PIN and PUK. Is it new or freshly reset, and may the factory's values be tried once?",
    another_try: (field: Field, last: boolean) =>
      last
        ? `Only one try is left for the ${fields[field]}. If the next value is wrong too, the ${fields[field]} is blocked. Try it?`
        : `So far no value on record was the token's ${fields[field]}. Try the next one? It costs one of the few tries.${field === "pin" ? " If you know the PIN, say no: then you can type it." : ""}`,
    overwrite,
  },
  outcomes,
  fieldOutcomes,
  triesLeft: (n: number) => (n === 1 ? "1 try is left." : `${n} tries are left.`),
  ways,
  reasons,
};
