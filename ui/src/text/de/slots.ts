import type { Catalogue } from "../en";

/** What is said of a token's slots. */
export const slots: Pick<Catalogue["tokens"], keyof typeof import("../en/slots").slots> = {
  picture: {
    plugged: (serial) => `Token ${serial}, eingesteckt`,
    away: (serial) => `Token ${serial}, nicht eingesteckt`,
    slots: (list) => `Slots: ${list}`,
    pinTries: (n) => (n === 0 ? "PIN gesperrt" : n === 1 ? "noch 1 PIN-Versuch" : `noch ${n} PIN-Versuche`),
    pukTries: (n) => (n === 0 ? "PUK gesperrt" : n === 1 ? "noch 1 PUK-Versuch" : `noch ${n} PUK-Versuche`),
    lights: {
      empty: "leer",
      valid: "gültig",
      soon: "läuft bald ab",
      expired: "abgelaufen",
      revoked: "widerrufen",
      foreign: "nicht von Keyward",
      key: "Schlüssel ohne Zertifikat",
      unconfirmed: "auf dem Token nicht bestätigt",
      unfinished: "Erneuerung nicht abgeschlossen",
    },
  },
  slots: {
    "9a": "Anmeldung",
    "9c": "Signatur",
    "9d": "Verschlüsselung",
    "9e": "Kartenanmeldung",
  },
  certificateFor: (slot) => `Zertifikat für ${slot}`,
  plainSlots: {
    "9a": "Anmeldezertifikat",
    "9c": "Signaturzertifikat",
    "9d": "Verschlüsselungszertifikat",
    "9e": "Zertifikat für Kartenleser",
  },
  slotUses: {
    "9a": "Anmelden an Computern, VPN und Webseiten",
    "9c": "Dokumente und E-Mails signieren",
    "9d": "Verschlüsselte E-Mails und Dateien lesen",
    "9e": "Türen und Kartenleser, ohne PIN",
  },
  slot: {
    empty: "leer",
    nothingOnRecord: "nichts registriert",
    key: "Schlüssel ohne Zertifikat",
    unreadable: "enthält etwas, das kein Zertifikat ist",
    foreign: "nicht von Keyward ausgestellt",
    missing: "registriert, aber nicht auf dem Token",
    unconfirmed: "ausgestellt, auf dem Token nicht bestätigt",
    unfinished: "passt nicht zum neuen Schlüssel: Erneuerung nicht abgeschlossen",
    noCertificates: "Keine gültigen Zertifikate.",
  },
};
