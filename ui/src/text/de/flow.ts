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
    retries: "Versuche zurückgesetzt",
    server: "Zertifikate widerrufen",
    card: "Token gelöscht",
    ready: "Bereit",
  },
  doing: {
    agent: "Verbindung mit dem Agenten auf diesem Computer.",
    read: "Eintrag im Tresor und Token werden gelesen.",
    probe: "Es wird ermittelt, welchen Wert der Token hat.",
    settle: "Es wird vermerkt, welchen Wert der Token hat.",
    rotation: "Die neue PIN wird im Tresor gesichert.",
    refused: "Der Token lehnt diese PIN nach seinen eigenen Regeln ab. Er ist unverändert.",
    management_key: "Der Management-Schlüssel wird gesetzt.",
    puk: "Der PUK wird gesetzt.",
    pin: "Die PIN wird gesetzt.",
    unblock: "Die PIN wird mit dem PUK gesetzt.",
    readiness: "Es wird geprüft, ob ein Zertifikat ausgestellt werden kann.",
    key: "Auf dem Token wird ein Schlüssel erzeugt. Berühren Sie den Token, wenn er blinkt.",
    request: "Mit dem Schlüssel auf dem Token entsteht ein Antrag. Berühren Sie den Token, wenn er blinkt.",
    sign: "Das Zertifikat wird ausgestellt.",
    import: "Das Zertifikat wird auf dem Token gespeichert.",
    installed: "Es wird vermerkt, dass das Zertifikat auf dem Token ist.",
    enrolled: "Es wird vermerkt, dass der Token eingerichtet ist.",
    retries: "Die Zahl der Versuche wird neu gesetzt.",
    reset_server: "Die Zertifikate werden widerrufen und neue Geheimnisse erzeugt.",
    reset_card: "Der Token wird gelöscht. Seine Schlüssel werden vernichtet.",
    done: "Fertig.",
  },
  fields,
  questions: {
    factory:
      "Dieser Token verrät nicht, ob er noch die PIN und den PUK ab Werk hat. Ist er weder neu noch frisch zurückgesetzt, kostet das Probieren je einen Versuch.",
    another_try: (field, last) =>
      last
        ? `Es ist nur noch ein Versuch übrig. Ist auch der nächste Wert falsch, ist ${the[field]} gesperrt.`
        : field === "pin"
          ? "Keine der bisher probierten PINs stimmt. Die nächste zu probieren kostet einen Versuch; ist keiner mehr übrig, ist die PIN gesperrt. Wenn Sie die PIN kennen, probieren Sie nicht weiter: Sie können sie stattdessen eingeben."
          : `Der bisher probierte Wert (${fields[field]}) stimmt nicht. Den nächsten zu probieren kann einen Versuch kosten.`,
    overwrite: {
      foreign: (slot) =>
        `In Slot ${slot} liegt ein Zertifikat, das nicht von Keyward ist. Soll es samt Schlüssel ersetzt werden?`,
      other_key: (slot) => `In Slot ${slot} liegt ein Schlüssel anderer Art. Soll er ersetzt werden?`,
      imported_key: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel ohne Nachweis, dass er auf diesem Token entstand; jemand könnte eine Kopie haben. Soll er ersetzt werden?`,
      unreadable: (slot) => `In Slot ${slot} liegt etwas, das Keyward nicht lesen kann. Soll es ersetzt werden?`,
      decryption_ended: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel zum Entschlüsseln, dessen Zertifikat nicht mehr gilt. Was für ihn verschlüsselt wurde, ist danach nicht mehr lesbar. Soll er ersetzt werden?`,
      decryption: (slot) =>
        `In Slot ${slot} liegt ein Schlüssel zum Entschlüsseln. Mit einem neuen Schlüssel ist nicht mehr lesbar, was für den jetzigen verschlüsselt wurde. Soll er ersetzt werden?`,
    },
  },
  answers: {
    factory: { yes: "Werkswerte probieren", no: "Nicht probieren" },
    another_try: { yes: "Versuch einsetzen", no: "Nicht probieren" },
    overwrite: { yes: "Ersetzen", no: "Behalten" },
  },
  outcomes: {
    unknown:
      "Der Token hat keinen der Werte, die Keyward hinterlegt hat. Er wurde außerhalb von Keyward geändert oder ist anderswo eingerichtet.",
    retries_low:
      "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Wert der Token hat. Es wurde nichts weiter versucht, damit nichts gesperrt wird.",
    pin_blocked: "Die PIN des Tokens ist gesperrt.",
    puk_blocked: "Der PUK des Tokens ist gesperrt.",
    pin_refused: "Der Token lehnt diese PIN nach seinen eigenen Regeln ab und behält die bisherige.",
    wrong_pin: "Das ist nicht die PIN dieses Tokens.",
    not_enrolled: "Im Slot liegt kein Zertifikat von Keyward, also gibt es nichts zu erneuern.",
    not_ready: "Dieser Token kann zurzeit kein Zertifikat bekommen. Es wurde kein Schlüssel erzeugt.",
    slot_occupied: "Sie haben den Slot so gelassen, wie er ist.",
    same_certificate: "Das jetzige Zertifikat gilt noch, und für denselben Antrag gibt es kein zweites.",
    changed: "Die Geheimnisse des Tokens wurden inzwischen von jemand anderem geändert.",
  },
  fieldOutcomes: {
    unknown: {
      pin: "Die PIN des Tokens ist keine der hinterlegten. Sie wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
      puk: "Der PUK des Tokens ist keiner der hinterlegten. Er wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
      management_key:
        "Der Management-Schlüssel des Tokens ist keiner der hinterlegten. Er wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
    },
    retries_low: {
      pin: "Für die PIN sind zu wenige Versuche übrig, um zu ermitteln, welche der Token hat. Es wurde nichts weiter versucht, damit sie nicht gesperrt wird.",
      puk: "Für den PUK sind zu wenige Versuche übrig, um zu ermitteln, welchen der Token hat. Es wurde nichts weiter versucht, damit er nicht gesperrt wird.",
      management_key: "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Management-Schlüssel der Token hat.",
    },
    not_enrolled: {
      pin: "Der Token hat die PIN ab Werk.",
      puk: "Der Token hat den PUK ab Werk.",
      management_key: "Der Token hat den Management-Schlüssel ab Werk.",
    },
    changed: {
      pin: "Der Token lehnt die PIN ab, die er eben noch hatte: Jemand anderes hat sie inzwischen geändert.",
      puk: "Der Token lehnt den PUK ab, den er eben noch hatte: Jemand anderes hat ihn inzwischen geändert.",
      management_key:
        "Der Token lehnt den Management-Schlüssel ab, den er eben noch hatte: Jemand anderes hat ihn inzwischen geändert.",
    },
  },
  declined: "Sie haben keinen weiteren Versuch eingesetzt. Es wurde nichts weiter probiert.",
  triesLeft: (n) => (n === 1 ? "Es ist noch 1 Versuch übrig." : `Es sind noch ${n} Versuche übrig.`),
  ways: {
    foreign:
      "Finden Sie heraus, wer den Wert außerhalb von Keyward geändert hat, und ändern Sie ihn mit demselben Programm zurück.",
    type_pin: "Geben Sie die PIN ein, die der Token jetzt hat. Keyward übernimmt sie dann.",
    unblock: "Entsperren: mit dem PUK eine neue PIN setzen. Sie müssen weder PIN noch PUK kennen.",
    use_pin_once:
      "Geben Sie die richtige PIN einmal in einem Programm ein, das den Token benutzt. Das füllt die Versuche auf. Beginnen Sie dann von vorn.",
    set_retries:
      "Setzen Sie die Versuche mit Management-Schlüssel und PIN neu. Richten Sie den Token danach wieder ein; seine Schlüssel bleiben.",
    reset: "Setzen Sie den Token zurück. Das vernichtet seine Schlüssel. Richten Sie ihn danach wieder ein.",
    enroll: "Richten Sie den Token ein.",
    again: "Beginnen Sie von vorn. Zuerst wird ermittelt, welchen Wert der Token hat.",
    remove_obstacle: "Lassen Sie das in Ordnung bringen und beginnen Sie dann von vorn.",
    choose_other_pin: "Wählen Sie eine andere PIN, ohne Folgen wie 1234 und ohne wiederholte Ziffern.",
    agree: "Beginnen Sie von vorn und stimmen Sie zu, oder wählen Sie einen anderen Slot.",
    renew_new_key: "Erneuern Sie mit einem neuen Schlüssel.",
    revoke_first: "Widerrufen Sie zuerst das jetzige Zertifikat und erneuern Sie dann mit seinem Schlüssel.",
  },
  reasons: {
    hwkey_in_stock: "Der Token ist im Bestand. Er muss zuerst jemandem zugewiesen werden.",
    hwkey_suspended: "Der Token ist gesperrt. Die Verwaltung kann ihn wieder freigeben.",
    hwkey_lost: "Der Token ist als verloren gemeldet. Die Verwaltung kann ihn freigeben, wenn er gefunden ist.",
    hwkey_retired: "Der Token ist ausgemustert.",
    key_compromised: "Der Schlüssel ist kompromittiert und bekommt nie wieder ein Zertifikat.",
    firmware_too_old: "Die Firmware des Tokens ist älter als erlaubt.",
    firmware_unknown: "Die Firmware des Tokens ist nicht eingetragen. Die Verwaltung muss sie eintragen.",
    owner_missing: "Der Token hat keinen Inhaber. Die Verwaltung muss ihn zuweisen.",
    owner_disabled: "Das Konto des Inhabers ist deaktiviert.",
    recovery_required:
      "Zurzeit wird nichts signiert: Die Datenbank wurde verändert, oder Datenbank oder Tresor wurden durch eine ältere Kopie ersetzt. Fragen Sie die Verwaltung.",
    license_restricted:
      "Die Lizenz dieser Installation erlaubt zurzeit kein erstes Zertifikat für einen Slot. Die Verwaltung muss eine neue Lizenz hochladen.",
    vault_unavailable: "Der Tresor antwortet nicht. Versuchen Sie es gleich noch einmal.",
    ca_expired: "Die Zertifizierungsstelle ist abgelaufen. Die Verwaltung muss sie erneuern.",
  },
};
