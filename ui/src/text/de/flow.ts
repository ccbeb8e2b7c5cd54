import type { Catalogue } from "../en";

const fields: Catalogue["flow"]["fields"] = { pin: "PIN", puk: "PUK", management_key: "Management-Schlüssel" };
const the: Catalogue["flow"]["fields"] = { pin: "die PIN", puk: "die PUK", management_key: "der Management-Schlüssel" };

export const flow: Catalogue["flow"] = {
  stages: {
    connect: "Token gelesen",
    management_key: "Management-Schlüssel",
    puk: "PUK",
    pin: "PIN",
    key: "Schlüssel auf dem Token erzeugt",
    sign: "Zertifikat ausgestellt",
    import: "Zertifikat gespeichert",
    retries: "Versuche zurückgesetzt",
    server: "Zertifikate widerrufen",
    card: "Token zurückgesetzt",
    ready: "Bereit",
  },
  doing: {
    agent: "Die Verbindung zum Agenten auf diesem Computer wird aufgebaut.",
    read: "Der Token wird gelesen.",
    probe: "Es wird ermittelt, welchen Wert der Token hat.",
    settle: "Es wird vermerkt, welchen Wert der Token hat.",
    rotation: "Eine verschlüsselte Kopie der neuen PIN wird gespeichert.",
    refused: "Der Token lehnt diese PIN nach seinen eigenen Regeln ab. Er ist unverändert.",
    management_key: "Der Management-Schlüssel wird gesetzt.",
    puk: "Die PUK wird gesetzt.",
    pin: "Die PIN wird gesetzt.",
    unblock: "Die PIN wird mit der PUK gesetzt.",
    readiness: "Es wird geprüft, ob ein Zertifikat ausgestellt werden kann.",
    key: "Auf dem Token wird ein Schlüssel erzeugt.",
    request: "Mit dem Schlüssel auf dem Token wird ein Antrag signiert.",
    sign: "Das Zertifikat wird ausgestellt.",
    import: "Das Zertifikat wird auf dem Token gespeichert.",
    installed: "Es wird vermerkt, dass das Zertifikat auf dem Token ist.",
    enrolled: "Es wird vermerkt, dass der Token eingerichtet ist.",
    retries: "Die Versuche werden zurückgesetzt.",
    reset_server: "Die Zertifikate werden widerrufen, und neue Geheimnisse werden erzeugt.",
    reset_card: "Der Token wird zurückgesetzt. Seine Schlüssel werden vernichtet.",
    done: "Fertig.",
  },
  fields,
  questions: {
    factory:
      "Dieser Token meldet nicht, ob er noch PIN und PUK ab Werk hat. Ist er weder neu noch frisch zurückgesetzt, kostet das Ausprobieren je einen Versuch.",
    another_try: (field, last) =>
      last
        ? `Es ist nur noch ein Versuch übrig. Ist auch der nächste Wert falsch, wird ${the[field]} gesperrt.`
        : field === "pin"
          ? "Keine der bisher ausprobierten PINs stimmt. Die nächste kostet einen weiteren Versuch; ist keiner mehr übrig, wird die PIN gesperrt. Wenn Sie die PIN kennen, brechen Sie hier ab: Sie können sie dann eingeben."
          : `Der bisher ausprobierte Wert (${fields[field]}) stimmt nicht. Der nächste kann einen weiteren Versuch kosten.`,
    overwrite: {
      foreign: (slot) =>
        `Slot ${slot} enthält ein Zertifikat, das nicht von Keyward ist. Soll es samt Schlüssel ersetzt werden?`,
      other_key: (slot) => `Slot ${slot} enthält einen Schlüssel anderer Art. Soll er ersetzt werden?`,
      imported_key: (slot) =>
        `Slot ${slot} enthält einen Schlüssel ohne Nachweis, dass er auf diesem Token erzeugt wurde. Jemand könnte eine Kopie haben. Soll er ersetzt werden?`,
      unreadable: (slot) => `Slot ${slot} enthält etwas, das Keyward nicht lesen kann. Soll es ersetzt werden?`,
      decryption_ended: (slot) =>
        `Slot ${slot} enthält einen Schlüssel zum Entschlüsseln, dessen Zertifikat nicht mehr gilt. Wenn Sie ihn ersetzen, können Sie nicht mehr lesen, was für ihn verschlüsselt wurde.`,
      decryption: (slot) =>
        `Slot ${slot} enthält einen Schlüssel zum Entschlüsseln. Wenn Sie ihn ersetzen, können Sie nicht mehr lesen, was für ihn verschlüsselt wurde.`,
    },
  },
  answers: {
    factory: { yes: "Werte ab Werk ausprobieren", no: "Nicht ausprobieren" },
    another_try: { yes: "Versuch einsetzen", no: "Nicht ausprobieren" },
    overwrite: { yes: "Ersetzen", no: "Behalten" },
  },
  outcomes: {
    unknown:
      "Der Token hat keinen der Werte, die Keyward kennt. Er wurde außerhalb von Keyward geändert oder ist anderswo eingerichtet.",
    retries_low:
      "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Wert der Token hat. Keyward hat aufgehört, damit nichts gesperrt wird.",
    pin_blocked: "Die PIN des Tokens ist gesperrt.",
    puk_blocked: "Die PUK des Tokens ist gesperrt.",
    pin_refused: "Der Token lehnt diese PIN nach seinen eigenen Regeln ab und behält die bisherige.",
    wrong_pin: "Das ist nicht die PIN dieses Tokens.",
    not_enrolled: "Der Slot enthält kein Zertifikat von Keyward, also gibt es nichts zu erneuern.",
    not_ready: "Dieser Token kann zurzeit kein Zertifikat bekommen. Es wurde kein Schlüssel erzeugt.",
    slot_occupied: "Sie haben den Slot unverändert gelassen.",
    changed: "Die Geheimnisse des Tokens wurden inzwischen von jemand anderem geändert.",
  },
  fieldOutcomes: {
    unknown: {
      pin: "Die PIN des Tokens ist keine, die Keyward kennt. Sie wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
      puk: "Die PUK des Tokens ist keine, die Keyward kennt. Sie wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
      management_key:
        "Der Management-Schlüssel des Tokens ist keiner, den Keyward kennt. Er wurde außerhalb von Keyward geändert, oder der Token ist anderswo eingerichtet.",
    },
    retries_low: {
      pin: "Für die PIN sind zu wenige Versuche übrig, um zu ermitteln, welche der Token hat. Keyward hat aufgehört, damit sie nicht gesperrt wird.",
      puk: "Für die PUK sind zu wenige Versuche übrig, um zu ermitteln, welche der Token hat. Keyward hat aufgehört, damit sie nicht gesperrt wird.",
      management_key: "Es sind zu wenige Versuche übrig, um zu ermitteln, welchen Management-Schlüssel der Token hat.",
    },
    not_enrolled: {
      pin: "Der Token hat die PIN ab Werk.",
      puk: "Der Token hat die PUK ab Werk.",
      management_key: "Der Token hat den Management-Schlüssel ab Werk.",
    },
    changed: {
      pin: "Der Token lehnt die PIN ab, die er eben noch hatte: Jemand anderes hat sie inzwischen geändert.",
      puk: "Der Token lehnt die PUK ab, die er eben noch hatte: Jemand anderes hat sie inzwischen geändert.",
      management_key:
        "Der Token lehnt den Management-Schlüssel ab, den er eben noch hatte: Jemand anderes hat ihn inzwischen geändert.",
    },
  },
  declined: "Sie haben keinen weiteren Versuch eingesetzt. Es wurde nichts weiter ausprobiert.",
  triesLeft: (n) => (n === 1 ? "Es ist noch 1 Versuch übrig." : `Es sind noch ${n} Versuche übrig.`),
  ways: {
    foreign:
      "Finden Sie heraus, wer den Wert außerhalb von Keyward geändert hat, und ändern Sie ihn mit demselben Programm zurück.",
    type_pin: "Geben Sie die PIN ein, die der Token jetzt hat. Keyward speichert sie dann.",
    unblock: "Entsperren: mit der PUK eine neue PIN setzen. Sie müssen weder PIN noch PUK kennen.",
    use_pin_once:
      "Geben Sie die richtige PIN einmal in einem Programm ein, das den Token benutzt. Danach hat der Token wieder alle Versuche. Beginnen Sie dann von vorn.",
    set_retries:
      "Setzen Sie die Versuche mit Management-Schlüssel und PIN zurück. Richten Sie den Token danach neu ein; seine Schlüssel bleiben erhalten.",
    reset: "Setzen Sie den Token zurück. Das vernichtet seine Schlüssel. Richten Sie ihn danach neu ein.",
    enroll: "Richten Sie den Token ein.",
    again: "Beginnen Sie von vorn. Keyward ermittelt zuerst, welchen Wert der Token hat.",
    remove_obstacle: "Lassen Sie das beheben und beginnen Sie dann von vorn.",
    choose_other_pin: "Wählen Sie eine andere PIN, ohne Zahlenfolgen wie 1234 und ohne wiederholte Ziffern.",
    agree: "Beginnen Sie von vorn und stimmen Sie zu, oder wählen Sie einen anderen Slot.",
    renew_new_key: "Erneuern Sie mit einem neuen Schlüssel.",
  },
  reasons: {
    hwkey_in_stock: "Der Token ist im Bestand. Er muss zuerst jemandem zugewiesen werden.",
    hwkey_suspended: "Der Token ist vorübergehend gesperrt. Ein Administrator kann ihn wieder freigeben.",
    hwkey_lost:
      "Der Token ist als verloren gemeldet. Ist er wieder da, sperren Sie ihn auf seiner Seite vorübergehend und geben Sie ihn dann wieder frei. Können Sie das nicht, wenden Sie sich an Ihren Administrator.",
    hwkey_retired: "Der Token ist ausgemustert.",
    key_compromised: "Der Schlüssel ist kompromittiert und bekommt nie wieder ein Zertifikat.",
    firmware_too_old: "Die Firmware des Tokens ist älter, als Ihre Organisation erlaubt.",
    firmware_unknown: "Die Firmware des Tokens ist unbekannt. Ein Administrator muss sie eintragen.",
    owner_missing: "Der Token hat keinen Inhaber. Ein Administrator muss ihn zuweisen.",
    owner_disabled: "Das Konto des Inhabers ist deaktiviert.",
    recovery_required:
      "Zurzeit wird nichts signiert: Die Datenbank wurde verändert, oder Datenbank oder Tresor wurden durch eine ältere Kopie ersetzt. Fragen Sie einen Administrator.",
    license_restricted:
      "Die Lizenz erlaubt keine Zertifikate für Slots ohne gültiges Zertifikat. Ein globaler Administrator muss eine neue Lizenz hochladen.",
    vault_unavailable: "Der Tresor antwortet nicht. Versuchen Sie es gleich noch einmal.",
    bad_common_name:
      "Der Benutzername hat mehr als 64 Zeichen; so lang darf er in keinem Zertifikat sein. Ein Administrator muss die E-Mail-Adresse des Kontos ändern.",
    profile_slot:
      "Das Zertifikatsprofil des Slots erlaubt diesen Slot nicht. Ein Administrator muss ein anderes wählen.",
    profile_organization:
      "Das Zertifikatsprofil des Slots ist für andere Organisationen. Ein Administrator muss ein anderes wählen.",
    profile_role:
      "Das Zertifikatsprofil des Slots ist für Konten mit einer anderen Rolle. Ein Administrator muss ein anderes wählen.",
    profile_field_missing:
      "Das Zertifikat würde etwas nennen, was im Konto des Inhabers fehlt. Ein Administrator muss es eintragen.",
    slot_unused: "Dieser Slot bekommt hier keine Zertifikate. Fragen Sie einen Administrator.",
    upn_missing:
      "Zum Anmelden an Computern braucht der Inhaber einen UPN oder die Organisation einen Kerberos-Realm. Ein Administrator muss einen davon eintragen.",
    bad_upn: "Der UPN des Kontos ist fehlerhaft. Ein Administrator muss ihn berichtigen.",
    bad_subject: "Der Name der Organisation ist für ein Zertifikat zu lang. Ein Administrator muss ihn kürzen.",
    profile_key_type:
      "Zum Zertifikatsprofil des Slots passt kein Schlüssel, der hier erlaubt ist. Ein Administrator muss ein anderes wählen.",
    profile_not_set_up:
      "Der Tresor kann noch keine Zertifikate dieses Profils ausstellen. Ein Administrator muss keyward vault setup ausführen.",
    slot_profile_gone: "Das Zertifikatsprofil des Slots wurde gelöscht. Ein Administrator muss ein anderes wählen.",
    ca_purposes: "Die CA kann keine Zertifikate dieses Profils ausstellen. Ein Administrator muss ein anderes wählen.",
    name_constraints:
      "Die CA darf für einen Namen, der im Zertifikat stünde, nichts ausstellen: Ihre Namensbeschränkungen erlauben es nicht. Ein Administrator muss den Namen ändern oder die CA ohne sie signieren lassen.",
    sid_missing: "Das Konto des Inhabers hat keine Windows-SID. Ein Administrator muss sie eintragen.",
    ca_ended: "Die CA ist abgelaufen. Ein Administrator muss sie erneuern.",
  },
};
