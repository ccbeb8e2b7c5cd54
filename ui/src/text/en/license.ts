export const license = {
  title: "License",
  /** How the installation stands: the headline, and what it means. */
  standing: {
    trial: {
      title: "Trial",
      text: (day: string) =>
        `Keyward runs as a trial until ${day}, with nothing left out. Upload a license before then.`,
    },
    trialEnding: {
      title: "The trial ends soon",
      text: (day: string) => `It runs until ${day}. Without a license nothing can be added after that.`,
    },
    valid: {
      title: "Licensed",
      text: (day: string) => `The license is valid until ${day}. There is nothing to do.`,
    },
    expiring: {
      title: "The license ends soon",
      text: (day: string) => `It is valid until ${day}. Ask the vendor for the next one and upload it here.`,
    },
    expired: {
      title: "The license has expired",
      text: (day: string) => `It ended on ${day}. Ask the vendor for a new one and upload it here.`,
    },
    trialOver: {
      title: "The trial is over",
      text: (day: string) => `It ended on ${day}. Ask the vendor for a license and upload it here.`,
    },
    invalid: {
      title: "The license is not valid",
      text: (_day: string) =>
        "The license that is stored does not fit this installation, or it was changed. Upload the vendor's file again, or ask for a new one.",
    },
    missing: {
      title: "The license is missing",
      text: (_day: string) => "This installation had a license, which was removed. Upload one to go on adding.",
    },
    unreached: {
      title: "The license cannot be checked",
      text: (_day: string) =>
        "The license service does not answer. Until it does, Keyward goes on as in a trial, and nothing is restricted. The server's log says why.",
    },
  },
  badges: {
    trial: "Trial",
    trialEnding: "Ends soon",
    valid: "Valid",
    expiring: "Ends soon",
    expired: "Expired",
    trialOver: "Trial over",
    invalid: "Not valid",
    missing: "Missing",
    unreached: "Unknown",
  },
  left: (days: number) => (days === 0 ? "Less than a day left" : days === 1 ? "1 day left" : `${days} days left`),
  ended: "No time left",
  leftOf: (left: string, total: number) => `${left} of ${total} days`,
  clock: {
    title: "The server's clock is behind",
    text: "The license goes by the latest time that was seen, and on from there. Set the clock right. If it is right, it once stood ahead: ask the vendor for a license that is issued now.",
  },
  restricted: {
    title: "What is restricted",
    held: "Until there is a valid license, nobody can add:",
    items: ["accounts", "tokens", "first certificates of a token's slot"],
    rest: "All else goes on: signing in, PINs and other secrets, renewal, revocation, the audit log, backup and restore.",
  },
  details: {
    title: "Details",
    customer: "Licensed to",
    email: "Email",
    type: "Type",
    issued: "Issued",
    expires: "Valid until",
    none: "No license is stored.",
    void: "None of this counts while the license is not valid.",
  },
  installation: {
    title: "Installation ID",
    text: "The vendor issues a license for exactly this ID. Send it along when you ask for one.",
    unknown: "Not known while the license service does not answer.",
  },
  upload: {
    title: "Upload a license",
    what: "Choose the file that the vendor sent you, drop it here, or paste its content.",
    choose: "Choose file",
    content: "Content of the license file",
    submit: "Upload",
    done: "The license is stored.",
    tooBig: "This is no license file: it is larger than 16 KiB.",
    unreadable: "The file could not be read. Choose it again.",
    older: "Replace the newer license",
    olderText:
      "Do that only when you mean to go back to the older one. The audit log notes that it replaced a newer license.",
  },
  remove: {
    action: "Remove license…",
    title: "Remove the license?",
    text: "Unless the trial still runs, nobody can add accounts, tokens or first certificates from then on, until a license is uploaded again. All else goes on. Keep the vendor's file: it can be uploaded again.",
    submit: "Remove license",
    done: "The license is removed.",
  },
  history: {
    title: "History",
    empty: "No license has been uploaded or removed yet.",
    at: "When",
    what: "What",
    by: "By",
    about: "Details",
    events: {
      upload: { success: "Uploaded", rejected: "Refused" },
      remove: { success: "Removed", rejected: "Not removed" },
    },
    summary: (customer: string, type: string, day: string) => `${customer}, ${type}, valid until ${day}`,
    replaced: "allowed to replace a newer one",
    refused: {
      malformed: "No license file, or it was changed on its way.",
      unknown_key: "This program was built without the vendor's key.",
      bad_signature: "The signature did not fit.",
      other_installation: "It was issued for another installation.",
      expired: "It had expired.",
      older: "One that was issued later had been stored here before.",
    } as Record<string, string>,
  },
  banner: {
    link: "Go to the license",
    ending: (left: string) => `${left}.`,
    restricted: "No accounts, tokens or first certificates can be added until a license is uploaded. All else goes on.",
  },
  /** 403 license_restricted, by its reason. */
  held: {
    title: "The license allows no additions",
    reasons: {
      license_expired: "The license of this installation has expired.",
      license_invalid: "The license of this installation is not valid.",
      license_missing: "This installation has no license any more.",
      trial_over: "The trial of this installation is over.",
    } as Record<string, string>,
    text: "Until it has a valid one, no accounts, tokens or first certificates can be added; all else goes on. A global administrator uploads one on the page License.",
  },
  /** 422 license_rejected, by its reason. value: what the server says with it, a day or an ID. */
  rejected: {
    title: "The license was refused",
    reasons: {
      malformed: () =>
        "This is no license file, or it was changed on its way. Use the file just as the vendor sent it.",
      unknown_key: () =>
        "This program was built without the vendor's key, so it cannot check any license. Install the vendor's release.",
      bad_signature: () =>
        "The signature does not fit: the license was changed after it was issued, or it comes from another vendor. Use the file just as it came, or ask for a new one.",
      other_installation: (id) =>
        `The license was issued for another installation. Ask the vendor for one with this installation's ID: ${id}`,
      expired: (day) => `This license expired on ${day}. Ask the vendor for a new one.`,
      older: (day) => `A license that was issued later, on ${day}, was stored here before.`,
    } as Record<string, (value: string) => string>,
    /** What is wrong with a field, by its code: the server says it in English. */
    fields: {} as Record<string, (params: Record<string, unknown>) => string>,
  },
  /** 503 license_unavailable. */
  unavailable: {
    title: "The license service does not answer",
    text: "Try again shortly. If it goes on, ask an administrator to look at the server's log.",
  },
};
