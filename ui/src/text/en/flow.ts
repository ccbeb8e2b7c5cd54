import type { Field, OutcomeCode, OverwriteReason, Stage, Step, Way } from "../../flow/types";

const stages: Record<Stage, string> = {
  connect: "Token read",
  management_key: "Management key",
  puk: "PUK",
  pin: "PIN",
  key: "Key created on the token",
  sign: "Certificate signed",
  import: "Certificate stored",
  retries: "Tries reset",
  server: "Certificates revoked",
  card: "Token reset",
  ready: "Ready",
};

const doing: Record<Step, string> = {
  agent: "Connecting to the agent on this computer.",
  read: "Reading the token.",
  probe: "Checking which value the token has.",
  settle: "Recording what the token holds.",
  rotation: "Storing an encrypted copy of the new PIN.",
  refused: "The token's own rules rejected that PIN. Nothing has changed.",
  management_key: "Setting the management key.",
  puk: "Setting the PUK.",
  pin: "Setting the PIN.",
  unblock: "Setting the PIN with the PUK.",
  readiness: "Checking that a certificate can be issued.",
  key: "Creating a key on the token.",
  request: "Signing a request with the key on the token.",
  sign: "Issuing the certificate.",
  import: "Storing the certificate on the token.",
  installed: "Recording that the certificate is on the token.",
  enrolled: "Recording that the token is set up.",
  retries: "Resetting the number of tries.",
  reset_server: "Revoking the certificates and generating new secrets.",
  reset_card: "Resetting the token. Its keys are destroyed.",
  done: "Done.",
};

const fields: Record<Field, string> = { pin: "PIN", puk: "PUK", management_key: "management key" };

const overwrite: Record<OverwriteReason, (slot: string) => string> = {
  foreign: (slot) => `Slot ${slot} holds a certificate that is not from Keyward. Replace it and its key?`,
  other_key: (slot) => `Slot ${slot} holds a different kind of key. Replace it?`,
  imported_key: (slot) =>
    `Slot ${slot} holds a key that can't be proven to have been created on this token, so someone may have a copy. Replace it?`,
  unreadable: (slot) => `Slot ${slot} holds something Keyward can't read. Replace it?`,
  decryption_ended: (slot) =>
    `Slot ${slot} holds a decryption key whose certificate is no longer valid. If you replace it, you can no longer read what was encrypted for it.`,
  decryption: (slot) =>
    `Slot ${slot} holds a decryption key. If you replace it, you can no longer read what was encrypted for it.`,
};

const outcomes: Record<OutcomeCode, string> = {
  unknown:
    "The token has none of the values that Keyward knows. It was changed outside Keyward, or it is set up elsewhere.",
  retries_low:
    "Too few tries are left to find out which value the token has. Keyward stopped so that nothing gets blocked.",
  pin_blocked: "The token's PIN is blocked.",
  puk_blocked: "The token's PUK is blocked.",
  pin_refused: "The token's own rules reject this PIN. The old one still works.",
  wrong_pin: "That is not this token's PIN.",
  not_enrolled: "The slot holds no certificate from Keyward, so there is nothing to renew.",
  not_ready: "This token can't get a certificate right now. No key was created.",
  slot_occupied: "You kept the slot as it is.",
  changed: "Someone else has changed the token's secrets in the meantime.",
};

/** What an outcome is about is said where it makes a difference. */
const fieldOutcomes: Partial<Record<OutcomeCode, Record<Field, string>>> = {
  unknown: {
    pin: "The token's PIN is none of those that Keyward knows. It was changed outside Keyward, or the token is set up elsewhere.",
    puk: "The token's PUK is none of those that Keyward knows. It was changed outside Keyward, or the token is set up elsewhere.",
    management_key:
      "The token's management key is none of those that Keyward knows. It was changed outside Keyward, or the token is set up elsewhere.",
  },
  retries_low: {
    pin: "The PIN has too few tries left to find out which one the token has. Keyward stopped so that it doesn't get blocked.",
    puk: "The PUK has too few tries left to find out which one the token has. Keyward stopped so that it doesn't get blocked.",
    management_key: "Too few tries are left to find out which management key the token has.",
  },
  not_enrolled: {
    pin: "The token has the factory PIN.",
    puk: "The token has the factory PUK.",
    management_key: "The token has the factory management key.",
  },
  changed: {
    pin: "The token rejected the PIN it had a moment ago: someone else has changed it.",
    puk: "The token rejected the PUK it had a moment ago: someone else has changed it.",
    management_key: "The token rejected the management key it had a moment ago: someone else has changed it.",
  },
};

const ways: Record<Way, string> = {
  foreign: "Find out who changed it outside Keyward, and undo the change with the same program.",
  type_pin: "Enter the PIN that the token has now. Keyward then stores it.",
  unblock: "Unblock: set a new PIN with the PUK. You don't need to know either.",
  use_pin_once:
    "Enter the correct PIN once in a program that uses the token. That restores its tries. Then start again.",
  set_retries: "Reset the tries with the management key and the PIN. Then set up the token again; its keys are kept.",
  reset: "Reset the token. This destroys its keys. Then set it up again.",
  enroll: "Set up the token.",
  again: "Start again. Keyward first checks what the token has.",
  remove_obstacle: "Have this fixed, then start again.",
  choose_other_pin: "Choose another PIN, without sequences such as 1234 or repeated digits.",
  agree: "Start again and agree, or choose a different slot.",
  renew_new_key: "Renew with a new key.",
};

/** What stands in the way of a certificate, by the server's codes. A code that is not here is shown as it is. */
const reasons: Record<string, string> = {
  hwkey_in_stock: "The token is in stock. It must be assigned to someone first.",
  hwkey_suspended: "The token is suspended. An administrator can reactivate it.",
  hwkey_lost:
    "The token is reported lost. If it turned up, suspend it on its page, then reactivate it. If you can't, ask your administrator.",
  hwkey_retired: "The token is retired.",
  key_compromised: "The key was compromised, so it can never get another certificate.",
  firmware_too_old: "The token's firmware is older than your organization allows.",
  firmware_unknown: "The token's firmware version is unknown. An administrator must add it.",
  owner_missing: "The token has no owner. An administrator must assign it.",
  owner_disabled: "The owner's account is disabled.",
  recovery_required:
    "Signing is on hold: the database was changed, or the database or the vault was replaced by an older copy. Ask an administrator.",
  license_restricted:
    "The license doesn't allow certificates for slots without a valid one. A global administrator must upload a new license.",
  vault_unavailable: "The vault is not responding. Try again in a moment.",
  bad_common_name:
    "The username has more than 64 characters, which no certificate can hold. An administrator must change the account's email.",
  profile_slot: "The slot's certificate profile doesn't allow this slot. An administrator must choose another one.",
  profile_organization:
    "The slot's certificate profile is for other organizations. An administrator must choose another one.",
  profile_role:
    "The slot's certificate profile is for accounts with another role. An administrator must choose another one.",
  profile_field_missing:
    "The certificate would name something that the owner's account lacks. An administrator must add it.",
  slot_unused: "This slot gets no certificates here. Ask an administrator.",
  upn_missing:
    "To sign in to computers, the owner needs a UPN, or the organization a Kerberos realm. An administrator must add one.",
  bad_upn: "The account's UPN is malformed. An administrator must correct it.",
  bad_subject: "The organization's name is too long for a certificate. An administrator must shorten it.",
  profile_key_type:
    "No key that is allowed here fits the slot's certificate profile. An administrator must choose another one.",
  profile_not_set_up:
    "The vault can't make certificates of this profile yet. An administrator must run keyward vault setup.",
  slot_profile_gone: "The slot's certificate profile was deleted. An administrator must choose another one.",
  ca_purposes: "The CA can't make certificates of this profile. An administrator must choose another one.",
  name_constraints:
    "The CA may not sign for a name that the certificate would have: its name constraints don't allow it. An administrator must change the name, or have the CA signed without them.",
  sid_missing: "The owner's account has no Windows SID. An administrator must add it.",
  ca_ended: "The certificate authority has expired. An administrator must renew it.",
};

export const flow = {
  stages,
  doing,
  fields,
  questions: {
    factory:
      "This token doesn't say whether it still has the factory PIN and PUK. If it isn't new or freshly reset, trying them uses up one try each.",
    another_try: (field: Field, last: boolean) =>
      last
        ? `Only one ${fields[field]} try is left. If the next value is wrong too, the ${fields[field]} will be blocked.`
        : field === "pin"
          ? "None of the PINs tried so far is the token's. Trying the next one uses up a try, and the PIN is blocked when none are left. If you know the PIN, don't try: you can enter it instead."
          : `The ${fields[field]} tried so far is not the token's. Trying the next one may use up a try.`,
    overwrite,
  },
  /** The buttons under a question. */
  answers: {
    factory: { yes: "Try the factory values", no: "Don't try them" },
    another_try: { yes: "Use a try", no: "Don't try" },
    overwrite: { yes: "Replace", no: "Keep" },
  },
  outcomes,
  fieldOutcomes,
  declined: "You chose not to use another try. Nothing else was tried.",
  triesLeft: (n: number) => (n === 1 ? "1 try is left." : `${n} tries are left.`),
  ways,
  reasons,
};
