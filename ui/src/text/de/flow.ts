import type { Catalogue } from "../en";

const fields: Catalogue["flow"]["fields"] = { pin: "PIN", puk: "PUK", management_key: "Management-Schlüssel" };
const the: Catalogue["flow"]["fields"] = { pin: "die PIN", puk: "der PUK", management_key: "der Management-Schlüssel" };

export const flow: Catalogue["flow"] = {
  stages: {
    connect: "Token und Tresor verglichen",
    management_key: "Management-Schlüssel",
    puk: "PUK",
    pin: "PIN",
    key: "Schlüssel auf dem Token erzeugt",
    sign: "Zertifikat ausgestellt",
    import: "Zertifikat gespeichert",
    retries: "Versuche neu gesetzt",
    server: "Zertifikate widerrufen",
    card: "Token gelöscht",
    ready: "Bereit",
  },
  doing: {
    agent: "Verbindung mit dem Agenten auf diesem Computer.",
    read: "Eintrag im Tresor und Token werden gelesen.",
    probe: "Es wird ermittelt, welchen Wert das Token hat.",
    settle: "Es wird vermerkt, welchen Wert das Token hat.",
    rotation: "Die neue PIN wird im Tresor gesichert.",
    refused: "Das Token lehnt diese PIN nach seinen eigenen Regeln ab. Es ist unverändert.",
    management_key: "Der Management-Schlüssel wird gesetzt.",
    puk: "Der PUK wird gesetzt.",
    pin: "Die PIN wird gesetzt.",
    unblock: "Die PIN wird mit dem PUK gesetzt.",
    readiness: "Es wird gefragt, ob ein Zertifikat ausgestellt würde.",
    key: "Auf dem Token wird ein Schlüssel erzeugt. Berühren Sie das Token, wenn es blinkt.",
    request: "Mit dem Schlüssel auf dem Token entsteht ein Antrag. Berühren Sie das Token, wenn es blinkt.",
    sign: "Das Zertifikat wird ausgestellt.",
    import: "Das Zertifikat wird auf dem Token gespeichert.",
    installed: "Es wird vermerkt, dass das Zertifikat auf dem Token ist.",
    enrolled: "Es wird vermerkt, dass das Token eingerichtet ist.",
    retries: "Die Zahl der Versuche wird neu gesetzt.",
    reset_server: "Die Zertifikate werden widerrufen und neue Geheimnisse erzeugt.",
    reset_card: "Das Token wird gelöscht. Seine Schlüssel werden vernichtet.",
    done: "Fertig.",
  },
  fields,
  questions: {
    factory:
      "Dieses Token sagt nicht, ob es noch die PIN und den PUK des Herstellers hat. Ist es neu oder frisch zurückgesetzt, und dürfen die Werte des Herstellers einmal versucht werden?",
    another_try: (field, last) =>
      last
        ? `Es ist nur noch ein Versuch übrig. Ist auch der nächste Wert falsch, ist ${the[field]} gesperrt. Soll er versucht werden?`
        : `Bisher war es keiner der hinterlegten Werte (${fields[field]}). Den nächsten versuchen? Das kostet einen der wenigen Versuche.${field === "pin" ? " Wenn Sie die PIN kennen, wählen Sie Nein: Dann können Sie sie eingeben." : ""}`,
    overwrite: {
      foreign: (slot) =>
        `In Slot ${slot} liegt ein Zertifikat, das nicht von Keyward ist. Soll es mit seinem Schlüssel überschrieben werden?`,
      other_key: (slot) => `In Slot ${slot} liegt ein Schlüssel anderer Art. Soll er überschrieben werden?`,
      imported_key: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel ohne Nachweis, dass er auf diesem Token entstand; jemand könnte eine Kopie haben. Soll ein neuer an seine Stelle?`,
      unreadable: (slot) => `In Slot ${slot} liegt etwas, das Keyward nicht lesen kann. Soll es überschrieben werden?`,
      decryption_ended: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel zum Entschlüsseln, dessen Zertifikat nicht mehr gilt. Was für ihn verschlüsselt wurde, ist danach nicht mehr lesbar. Soll er überschrieben werden?`,
      decryption: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel zum Entschlüsseln. Mit einem neuen Schlüssel ist nicht mehr lesbar, was für den jetzigen verschlüsselt wurde. Soll ein neuer erzeugt werden?`,
    },
  },
  outcomes: {
    unknown:
      "Das Token hat keinen der Werte, die Keyward hinterlegt hat. Es wurde außerhalb von Keyward geändert oder ist anderswo eingerichtet.",
    retries_low:
      "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Wert das Token hat. Es wurde nichts weiter versucht, damit nichts gesperrt wird.",
    pin_blocked: "Die PIN des Tokens ist gesperrt.",
    puk_blocked: "Der PUK des Tokens ist gesperrt.",
    pin_refused: "Das Token lehnt diese PIN nach seinen eigenen Regeln ab und behält die bisherige.",
    wrong_pin: "Das ist nicht die PIN dieses Tokens.",
    not_enrolled: "Im Slot liegt kein Zertifikat von Keyward, also gibt es nichts zu erneuern.",
    not_ready: "Für dieses Token würde jetzt kein Zertifikat ausgestellt. Es wurde kein Schlüssel erzeugt.",
    slot_occupied: "Im Slot liegt etwas, das nicht von Keyward ist; es bleibt, wie es ist.",
    declined: "Sie haben abgelehnt, der Slot bleibt, wie er ist.",
    same_certificate: "Das jetzige Zertifikat gilt noch, und für denselben Antrag gibt es kein zweites.",
    changed: "Die Geheimnisse des Tokens wurden inzwischen von jemand anderem geändert.",
  },
  fieldOutcomes: {
    unknown: {
      pin: "Die PIN des Tokens ist keine der hinterlegten. Sie wurde außerhalb von Keyward geändert, oder das Token ist anderswo eingerichtet.",
      puk: "Der PUK des Tokens ist keiner der hinterlegten. Er wurde außerhalb von Keyward geändert, oder das Token ist anderswo eingerichtet.",
      management_key:
        "Der Management-Schlüssel des Tokens ist keiner der hinterlegten. Er wurde außerhalb von Keyward geändert, oder das Token ist anderswo eingerichtet.",
    },
    retries_low: {
      pin: "Für die PIN sind zu wenige Versuche übrig, um zu ermitteln, welche das Token hat. Es wurde nichts weiter versucht, damit sie nicht gesperrt wird.",
      puk: "Für den PUK sind zu wenige Versuche übrig, um zu ermitteln, welchen das Token hat. Es wurde nichts weiter versucht, damit er nicht gesperrt wird.",
      management_key: "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Management-Schlüssel das Token hat.",
    },
    not_enrolled: {
      pin: "Das Token hat noch oder wieder die PIN des Herstellers.",
      puk: "Das Token hat noch oder wieder den PUK des Herstellers.",
      management_key: "Das Token hat noch oder wieder den Management-Schlüssel des Herstellers.",
    },
    changed: {
      pin: "Das Token lehnt die PIN ab, die es eben noch hatte: Jemand anderes hat sie inzwischen geändert.",
      puk: "Das Token lehnt den PUK ab, den es eben noch hatte: Jemand anderes hat ihn inzwischen geändert.",
      management_key:
        "Das Token lehnt den Management-Schlüssel ab, den es eben noch hatte: Jemand anderes hat ihn inzwischen geändert.",
    },
  },
  triesLeft: (n) => (n === 1 ? "Es ist noch 1 Versuch übrig." : `Es sind noch ${n} Versuche übrig.`),
  ways: {
    foreign:
      "Finden Sie heraus, wer den Wert außerhalb von Keyward geändert hat, und ändern Sie ihn mit demselben Programm zurück.",
    type_pin: "Geben Sie die PIN ein, die das Token jetzt hat. Keyward übernimmt es dann.",
    unblock: "Entsperren: mit dem PUK eine neue PIN setzen. Sie müssen keins von beiden kennen.",
    use_pin_once:
      "Geben Sie die richtige PIN einmal in einem Programm ein, das das Token benutzt. Das füllt die Versuche auf. Beginnen Sie dann von vorn.",
    set_retries:
      "Setzen Sie die Versuche mit Management-Schlüssel und PIN neu. Richten Sie das Token danach wieder ein; seine Schlüssel bleiben.",
    reset: "Setzen Sie das Token zurück. Das vernichtet seine Schlüssel. Richten Sie es danach wieder ein.",
    enroll: "Richten Sie das Token ein.",
    again: "Beginnen Sie von vorn. Zuerst wird ermittelt, welchen Wert das Token hat.",
    remove_obstacle: "Lassen Sie das in Ordnung bringen und beginnen Sie dann von vorn.",
    choose_other_pin: "Wählen Sie eine andere PIN, ohne Folgen wie 1234 und ohne wiederholte Ziffern.",
    agree: "Beginnen Sie von vorn und stimmen Sie zu, oder wählen Sie einen anderen Slot.",
    renew_new_key: "Erneuern Sie mit einem neuen Schlüssel.",
    revoke_first: "Widerrufen Sie zuerst das jetzige Zertifikat und erneuern Sie dann mit seinem Schlüssel.",
  },
  reasons: {
    hwkey_in_stock: "Das Token ist im Bestand. Es muss zuerst jemandem zugewiesen werden.",
    hwkey_suspended: "Das Token ist gesperrt. Die Verwaltung kann es wieder freigeben.",
    hwkey_lost: "Das Token ist als verloren gemeldet. Die Verwaltung kann es freigeben, wenn es gefunden ist.",
    hwkey_retired: "Das Token ist ausgemustert.",
    owner_missing: "Das Token gehört niemandem. Die Verwaltung muss es zuweisen.",
    owner_disabled: "Das Konto der Person, der das Token gehört, ist deaktiviert.",
    vault_unavailable: "Der Tresor antwortet nicht. Versuchen Sie es gleich noch einmal.",
    ca_expired: "Die Zertifizierungsstelle ist abgelaufen. Die Verwaltung muss sie erneuern.",
  },
};
