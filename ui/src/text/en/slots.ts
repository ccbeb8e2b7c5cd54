/** What is said of a token's slots. */
export const slots = {
  picture: {
    plugged: (serial: string) => `Token ${serial}, plugged in`,
    away: (serial: string) => `Token ${serial}, not plugged in`,
    slots: (list: string) => `Slots: ${list}`,
    pinTries: (n: number) => (n === 0 ? "PIN blocked" : n === 1 ? "1 PIN try left" : `${n} PIN tries left`),
    pukTries: (n: number) => (n === 0 ? "PUK blocked" : n === 1 ? "1 PUK try left" : `${n} PUK tries left`),
    lights: {
      empty: "empty",
      valid: "valid",
      soon: "expires soon",
      expired: "expired",
      revoked: "revoked",
      foreign: "not from Keyward",
      key: "key without a certificate",
      unconfirmed: "not confirmed on the token",
      unfinished: "renewal not finished",
    },
  },
  slots: {
    "9a": "Authentication",
    "9c": "Signature",
    "9d": "Encryption",
    "9e": "Card authentication",
  },
  certificateFor: (slot: string) => `a certificate for ${slot}`,
  /** For people who need not know what a slot is. */
  plainSlots: {
    "9a": "your sign-in certificate",
    "9c": "your signature certificate",
    "9d": "your encryption certificate",
    "9e": "your card reader certificate",
  },
  slotUses: {
    "9a": "Signing in to computers, VPN and websites",
    "9c": "Signing documents and email",
    "9d": "Reading encrypted email and files",
    "9e": "Doors and card readers, without a PIN",
  },
  slot: {
    empty: "empty",
    nothingOnRecord: "nothing on record",
    key: "key without a certificate",
    unreadable: "holds something that is no certificate",
    foreign: "not issued by Keyward",
    missing: "on record, not on the token",
    unconfirmed: "issued, not confirmed on the token",
    unfinished: "doesn't match the token's new key: renewal not finished",
    noCertificates: "No valid certificates.",
  },
};
