export const license = {
  title: "License",
  /** How the installation stands: the headline, and what it means. */
  standing: {
    trial: {
      title: "Trial",
      text: (day: string) => `Keyward runs as a trial until ${day}, with all features. Upload a license before then.`,
    },
    trialEnding: {
      title: "The trial ends soon",
      text: (day: string) =>
        `It runs until ${day}. After that you can't add accounts, tokens or certificates without a license.`,
    },
    valid: {
      title: "Licensed",
      text: (day: string) => `The license is valid until ${day}. You don't need to do anything.`,
    },
    expiring: {
      title: "The license expires soon",
      text: (day: string) => `It is valid until ${day}. Ask the vendor for a new one and upload it here.`,
    },
    expired: {
      title: "The license has expired",
      text: (day: string) => `It expired on ${day}. Ask the vendor for a new one and upload it here.`,
    },
    trialOver: {
      title: "The trial is over",
      text: (day: string) => `It ended on ${day}. Ask the vendor for a license and upload it here.`,
    },
    invalid: {
      title: "The license is not valid",
      text: (_day: string) =>
        "The stored license is not for this installation, or it was changed. Upload the vendor's file again, or ask for a new one.",
    },
    missing: {
      title: "The license is missing",
      text: (_day: string) => "The license was removed. Upload one to add accounts and tokens again.",
    },
    unreached: {
      title: "The license can't be checked",
      text: (_day: string) =>
        "The license service is not responding. Until it does, Keyward works without restrictions, as in a trial. Check the server's log.",
    },
  },
  /** until: the day on which a trial ends; empty: none runs. */
  noKey: (until: string) =>
    `${until ? `Keyward runs as a trial until ${until}, with all features. ` : ""}This program was built without the vendor's public key, so it rejects every license. To use one, install the vendor's release.`,
  badges: {
    trial: "Trial",
    trialEnding: "Ends soon",
    valid: "Valid",
    expiring: "Expires soon",
    expired: "Expired",
    trialOver: "Trial over",
    invalid: "Not valid",
    missing: "Missing",
    unreached: "Unknown",
  },
  left: (days: number) => (days === 0 ? "Less than a day left" : days === 1 ? "1 day left" : `${days} days left`),
  ended: "Expired",
  leftOf: (left: string, total: number) => `${left} of ${total} days`,
  clock: {
    title: "The server's clock is behind",
    text: "The license goes by the latest time that Keyward has seen. Correct the clock. If it is right now, it was ahead earlier: ask the vendor for a new license.",
  },
  restricted: {
    title: "What is restricted",
    held: "Without a valid license, nobody can add:",
    items: ["accounts", "tokens", "certificates for slots without a valid one"],
    rest: "Everything else keeps working: signing in, PINs and other secrets, renewing valid certificates, revocation, the audit log, backup and restore.",
  },
  details: {
    title: "Details",
    customer: "Licensed to",
    email: "Email",
    type: "Type",
    issued: "Issued",
    expires: "Valid until",
    none: "No license is stored.",
    void: "This doesn't apply while the license is not valid.",
  },
  installation: {
    title: "Installation ID",
    text: "Licenses are issued for this ID. Include it when you ask for one.",
    unknown: "Unknown while the license service is not responding.",
  },
  upload: {
    title: "Upload a license",
    what: "Choose the file from the vendor, drop it here, or paste its content.",
    choose: "Choose file",
    content: "Content of the license file",
    submit: "Upload",
    done: "License uploaded.",
    tooBig: "This is not a license file: it is larger than 16 KiB.",
    malformed: "This is not a license file, or it was damaged. Use the file exactly as the vendor sent it.",
    unreadable: "The file can't be read. Choose it again.",
    older: "Replace the newer license",
    olderText:
      "Only do this if you want to go back to the older one. The audit log records that it replaced a newer license.",
  },
  remove: {
    action: "Remove license…",
    title: "Remove the license?",
    text: "Unless the trial is still running, nobody can add accounts, tokens or certificates until you upload a license again. Everything else keeps working, and valid certificates can be renewed. Keep the vendor's file: you can upload it again.",
    submit: "Remove license",
    done: "License removed.",
  },
  history: {
    title: "History",
    empty: "No license has been uploaded or removed yet.",
    at: "When",
    what: "What",
    by: "By",
    about: "Details",
    events: {
      upload: { success: "Uploaded", rejected: "Rejected" },
      remove: { success: "Removed", rejected: "Not removed" },
    },
    summary: (customer: string, type: string, day: string) => `${customer}, ${type}, valid until ${day}`,
    replaced: "allowed to replace a newer one",
    refused: {
      malformed: "Not a license file, or it was damaged.",
      unknown_key: "This build of Keyward doesn't have the vendor's key.",
      bad_signature: "The signature was not valid.",
      other_installation: "It was issued for another installation.",
      expired: "It had expired.",
      older: "A newer license was already stored here.",
    } as Record<string, string>,
  },
  banner: {
    link: "View license",
    ending: (left: string) => `${left}.`,
    restricted:
      "You can't add accounts, tokens or certificates until a license is uploaded. Everything else keeps working, and valid certificates can be renewed.",
  },
};
