import type { Sentences } from "../../sentences";
import { status } from "./records";

const trusted = "Nur Schlüssel, die nachweislich auf einem Token erzeugt wurden, bekommen ein Zertifikat";
const recreate = "Erzeugen Sie einen neuen Schlüssel.";

/** Requests for certificates, attestations, the CA, and revoking. */
export const certificates: Sentences = {
  preview_ca_mail:
    "E-Mail-Programme werden das Zertifikat nicht akzeptieren: In den erweiterten Schlüsselverwendungen (EKU) der CA oder einer CA darüber fehlt emailProtection.",
  preview_ends_with_ca: "Das Zertifikat endet am {until:day}, zusammen mit seiner CA.",
  preview_no_principal:
    "Ein eigener Tresor stellt keine Kerberos-Principals aus: Das KDC muss sich nach dem UPN richten.",
  "attestation_failed/attestation_key":
    "Die Attestierung gehört zu einem anderen Schlüssel als der Antrag. Erzeugen Sie Schlüssel, Antrag und Attestierung neu.",
  "attestation_failed/attestation_malformed":
    "Die Attestierung ist nicht so, wie ein Token sie ausstellt. Senden Sie zwei PEM-Blöcke: die Attestierung des Slots und das Zertifikat von Slot F9.",
  "attestation_failed/attestation_missing": `${trusted}. Senden Sie die Attestierung des Slots und das Zertifikat von Slot F9.`,
  "attestation_failed/attestation_no_serial": `${trusted}, und die Attestierung dieses Tokens enthält keine Seriennummer. Nehmen Sie einen neueren Token.`,
  "attestation_failed/attestation_serial":
    "Die Attestierung ist von einem anderen Token. Stecken Sie den ein, für den das Zertifikat ist.",
  "attestation_failed/attestation_signature":
    "Die Attestierung ist gefälscht oder beschädigt: Eine Signatur darin ist nicht von ihrem Aussteller. Nehmen Sie einen anderen Token und melden Sie es einem Administrator.",
  "attestation_failed/attestation_slot":
    "Die Attestierung gehört zu einem Schlüssel in einem anderen Slot. Senden Sie die des Slots, für den das Zertifikat ist.",
  "attestation_failed/attestation_unknown_value": `${trusted}, und die Attestierung dieses Tokens hat einen Wert, den diese Version von Keyward nicht kennt. Nehmen Sie einen anderen Token.`,
  "attestation_failed/attestation_untrusted": `${trusted}, und dem Aussteller dieser Attestierung wird nicht vertraut. Bitten Sie einen Administrator, PKI_ATTESTATION_ROOTS_FILE zu prüfen.`,
  "ca_not_active/ca_ended": "Diese CA ist beendet und kann nicht mehr signieren. Fordern Sie eine neue an.",
  "ca_not_active/ca_requested": "Diese CA hat noch kein Zertifikat. Installieren Sie es zuerst.",
  "ca_rejected/ca_chain":
    "Die Zertifikate führen von dieser CA zu keiner selbst signierten Stamm-CA. Senden Sie alle, auch das der Stamm-CA.",
  "ca_rejected/ca_client_auth":
    "Die CA oder eine darüber ist für clientAuth nicht zu gebrauchen: Ihre erweiterten Schlüsselverwendungen (EKU) enthalten es nicht. Lassen Sie sie ohne EKU signieren.",
  "ca_rejected/ca_constraints":
    "Die CA oder eine darüber hat eine kritische Erweiterung oder Namensbeschränkungen, die Keyward nicht beachten kann, etwa für Verzeichnisnamen. Lassen Sie sie ohne diese signieren.",
  "ca_rejected/ca_key_id":
    "Im Zertifikat der CA fehlt der Subject Key Identifier. Lassen Sie es mit einem neu signieren.",
  "ca_rejected/ca_key_type": "Der Schlüssel der CA muss RSA mit 2048, 3072 oder 4096 Bits, P-256 oder P-384 sein.",
  "ca_rejected/ca_other_key":
    "Dieses Zertifikat ist für einen anderen Schlüssel als den des Antrags. Senden Sie das, das aus diesem Antrag entstand.",
  "ca_rejected/ca_path_length":
    "Die Kette der CA ist länger, als eine CA darin erlaubt (Pfadlänge). Lassen Sie sie von einer CA signieren, die eine CA unter sich erlaubt.",
  "ca_rejected/ca_policies":
    "Die CA oder eine darüber verlangt Zertifikatsrichtlinien (Certificate Policies), und Zertifikate von Keyward haben keine. Lassen Sie sie ohne diese signieren.",
  "ca_rejected/ca_purposes":
    "Zertifikate des Profils {profile}, das ein Slot bekommt, könnten nicht von dieser CA kommen: Ihre erweiterten Schlüsselverwendungen (EKU) oder die einer CA darüber enthalten deren nicht. Lassen Sie sie ohne EKU signieren, oder wählen Sie für den Slot ein anderes Profil.",
  "ca_rejected/ca_subject_taken":
    "Das Zertifikat hat das Subject einer anderen CA von hier: Programme würden beide verwechseln. Lassen Sie es mit einem signieren, das es noch nie gab.",
  "ca_rejected/ca_usages":
    "Das Zertifikat der CA muss die Schlüsselverwendungen keyCertSign und cRLSign haben. Lassen Sie es damit neu signieren.",
  "ca_rejected/ca_validity": "Das Zertifikat von {subject} ist nur von {from} bis {until} gültig.",
  "ca_rejected/not_a_ca":
    "Das Zertifikat ist nicht das einer CA: In seinen Basic Constraints muss CA:TRUE stehen. Lassen Sie es damit neu signieren.",
  "certificate_rejected/certificate_required":
    "Der Tresor kennt kein Zertifikat mit dieser Seriennummer. Senden Sie das Zertifikat selbst.",
  "certificate_rejected/foreign_certificate":
    "Dieses Zertifikat ist nicht von dieser CA. Widerrufen Sie es dort, wo es ausgestellt wurde.",
  "certificate_rejected/is_ca":
    "Das ist das Zertifikat der CA selbst. Ihre eigene Sperrliste kann es nicht widerrufen.",
  "conflict/ca_installed": "Diese CA hat schon ein Zertifikat. Fordern Sie für ein anderes eine weitere CA an.",
  "conflict/ca_not_requested": "Nur ein Antrag lässt sich zurückziehen: Diese CA hat ein Zertifikat.",
  "conflict/certificate_exists": "Ein Zertifikat mit dieser Seriennummer gibt es schon.",
  "conflict/no_ssh_key": "OpenSSH kennt keine Schlüssel dieses Typs.",
  "conflict/hwkey_not_as_asked":
    "Status, Inhaber oder Organisation des Tokens wurde eben geändert. Laden Sie den Token neu und fordern Sie ein neues Zertifikat an.",
  "conflict/hwkey_not_signable": (p) =>
    `Dieser Token ist ${status(p.status)}: Für ihn werden keine Zertifikate ausgestellt.`,
  "conflict/hwkey_unregistered": "Der Token ist nicht registriert. Registrieren Sie ihn zuerst.",
  "conflict/key_of_before":
    "Der Token wurde zurückgesetzt oder als verloren gemeldet, nachdem dieser Schlüssel erzeugt wurde. Erzeugen Sie einen neuen und fordern Sie noch einmal ein Zertifikat an.",
  "conflict/many_cas":
    "Es gibt {max} CAs, die nicht zu Ende sind. Ziehen Sie einen Antrag zurück, oder warten Sie auf ein Ende.",
  "conflict/many_profiles": "Es gibt schon {max} Profile. Löschen Sie zuerst eines.",
  "conflict/nothing_older": "Es gibt nichts zu akzeptieren: Was Sie akzeptieren wollten, ist nicht älter.",
  "conflict/owner_not_as_asked":
    "Das Konto des Inhabers wurde eben geändert. Laden Sie den Token neu und fordern Sie ein neues Zertifikat an.",
  "conflict/profile_taken":
    "Ein Profil dieses Namens gibt es schon, oder ein gelöschtes hat noch Zertifikate. Wählen Sie einen anderen Namen.",
  "conflict/profiles_changed":
    "Jemand anderes hat eben die Profile geändert. Laden Sie sie neu und versuchen Sie es noch einmal.",
  "conflict/revoked": "Dieses Zertifikat ist schon widerrufen.",
  "conflict/revoked_installed": "Dieses Zertifikat ist widerrufen. Fordern Sie ein neues an.",
  "csr_rejected/sid_in_uri":
    "Der CSR verlangt eine Windows-SID in einer URI. SIDs stehen im Konto und in Zertifikaten, deren Profil sie vorsieht.",
  "csr_rejected/bad_common_name": "Der Common Name (CN) darf höchstens {max} Zeichen und keine Steuerzeichen haben.",
  "csr_rejected/bad_dns_name":
    "Ein DNS-Name ist leer, zu lang oder nicht in ASCII. Schreiben Sie internationale Namen in Punycode (xn--).",
  "csr_rejected/bad_email":
    "Eine E-Mail-Adresse hat nicht die richtige Form. Hat sie Zeichen außerhalb von ASCII, muss die Domain in Punycode (xn--) und der Teil davor in ASCII stehen.",
  "csr_rejected/bad_ip": "Eine IP-Adresse hat nicht die richtige Form.",
  "csr_rejected/bad_principal":
    "Der Kerberos-Principal hat nicht die richtige Form: Name und Realm müssen in ASCII sein. Bitten Sie einen Administrator, das Konto oder den Realm zu berichtigen.",
  "csr_rejected/bad_sid":
    "Die Windows-SID des Kontos hat nicht die richtige Form. Bitten Sie einen Administrator, sie zu berichtigen.",
  "csr_rejected/bad_subject":
    "Organisation und Organisationseinheit dürfen höchstens {max} Zeichen haben, und das Land muss aus zwei Großbuchstaben bestehen.",
  "csr_rejected/bad_upn":
    "Der UPN des Kontos hat nicht die richtige Form. Bitten Sie einen Administrator, ihn zu berichtigen.",
  "csr_rejected/bad_uri": "Eine URI ist nicht absolut oder nicht in ASCII.",
  "csr_rejected/ca_refused":
    "Die CA lehnt diesen Antrag ab. Fragen Sie einen Administrator, welche Schlüssel und Namen die Rolle der CA erlaubt.",
  "csr_rejected/common_name_only": "Im Antrag darf als Subject nur ein Common Name (CN) stehen.",
  ca_ended: "Das Zertifikat der CA ist abgelaufen; sie signiert nichts mehr. Ein Administrator muss die CA erneuern.",
  "csr_rejected/csr_printable_string":
    "Der Name im Antrag ist als PrintableString kodiert, der Zeichen wie _ und @ nicht enthalten darf; Vault lehnt das ab. Erzeugen Sie den Antrag mit UTF8String.",
  "csr_rejected/csr_signature": "Die Signatur des Antrags stimmt nicht. Erzeugen Sie den Antrag neu.",
  "csr_rejected/csr_signature_algorithm":
    "Der Antrag ist mit einem Verfahren signiert, das nicht angenommen wird. Signieren Sie ihn mit SHA-256: ECDSA, Ed25519, RSA mit PKCS #1 v1.5 oder RSA-PSS mit einem Salt von 32 Byte.",
  "csr_rejected/firmware_too_old":
    "Für Token mit Firmware vor {minimum} werden keine Zertifikate ausgestellt, und dieser Token hat eine ältere. Nehmen Sie einen neueren Token.",
  "csr_rejected/firmware_unknown":
    "Für Token mit Firmware vor {minimum} werden keine Zertifikate ausgestellt, und die dieses Tokens ist nicht bekannt. Tragen Sie sie beim Token ein, oder senden Sie die Attestierung des Schlüssels.",
  "csr_rejected/foreign_alternative_name":
    "Der Antrag verlangt einen alternativen Namen, der nicht die E-Mail-Adresse des Inhabers ist.",
  "csr_rejected/foreign_common_name":
    "Der Common Name (CN) des Antrags muss Benutzername oder E-Mail-Adresse des Inhabers sein.",
  "csr_rejected/key_compromised": `Ein Zertifikat dieses Schlüssels wurde widerrufen, weil der Schlüssel kompromittiert war; er bekommt nie wieder eines. ${recreate}`,
  "csr_rejected/key_exponent": `Der RSA-Schlüssel des Antrags hat einen anderen Exponenten als 65537. ${recreate}`,
  "csr_rejected/key_roca":
    "Der RSA-Schlüssel des Antrags ist schwach: Er kommt aus einem Generator mit der Schwäche ROCA (CVE-2017-15361). Nehmen Sie einen Token mit anderer Firmware.",
  "csr_rejected/key_type": "Ein Schlüssel dieser Art ist nicht erlaubt. Erlaubt sind: {allowed}.",
  "csr_rejected/key_weak": `Der RSA-Schlüssel des Antrags ist schwach: Er lässt sich faktorisieren. ${recreate}`,
  "csr_rejected/many_names": "Der Antrag hat mehr als {max} alternative Namen.",
  "csr_rejected/name_constraints":
    "Die CA darf für diesen Namen nichts ausstellen: Die Namensbeschränkungen ihres eigenen Zertifikats erlauben es nicht. Fragen Sie einen Administrator, welche Namen erlaubt sind.",
  "csr_rejected/no_common_name": "Im Antrag fehlt der Common Name (CN).",
  "csr_rejected/one_common_name": "Im Antrag muss genau ein Common Name (CN) stehen.",
  "csr_rejected/weak_rsa_firmware":
    "RSA-Schlüssel aus der Firmware 4.2.0 bis 4.3.4 sind schwach (ROCA, CVE-2017-15361). Nehmen Sie einen anderen Token, oder einen Schlüssel auf einer elliptischen Kurve.",
  "not_found/ca": "Diese CA gibt es nicht.",
  "not_found/no_profile": "Dieses Zertifikatsprofil gibt es nicht.",
  "permission_denied/profile_builtin":
    "Mitgelieferte Profile lassen sich nicht ändern. Kopieren Sie das Profil und ändern Sie die Kopie.",
  profile_in_use: "Ein Slot bekommt noch dieses Profil. Wählen Sie für den Slot zuerst ein anderes.",
  "profile_mismatch/profile_field_missing":
    "Im Zertifikat stünde {field} aus dem Konto, und das ist dort leer. Bitten Sie einen Administrator, es einzutragen.",
  "profile_mismatch/profile_key_type": `Zertifikate des Profils {profile} gibt es nicht für Schlüssel vom Typ {type}. Erzeugen Sie einen Schlüssel anderen Typs.`,
  "profile_mismatch/profile_organization":
    "Das Profil {profile} für Slot {slot} ist für andere Organisationen. Wählen Sie ein anderes.",
  "profile_mismatch/profile_pin_policy":
    "Die PIN-Regel des Schlüssels ist {policy}, was das Profil {profile} nicht erlaubt. Erzeugen Sie den Schlüssel neu, mit einer anderen.",
  "profile_mismatch/profile_role":
    "Das Profil {profile} für Slot {slot} ist für Konten mit einer anderen Rolle. Wählen Sie ein anderes.",
  "profile_mismatch/profile_slot":
    "Zertifikate des Profils {profile} gehören nicht in Slot {slot}. Wählen Sie einen anderen Slot oder ein anderes Profil.",
  "profile_mismatch/profile_touch_policy":
    "Die Berührungsregel des Schlüssels ist {policy}, was das Profil {profile} nicht erlaubt. Erzeugen Sie den Schlüssel neu, mit einer anderen.",
  "profile_mismatch/sid_missing": "Das Konto hat keine Windows-SID. Bitten Sie einen Administrator, sie einzutragen.",
  "profile_mismatch/slot_profile_gone":
    "Slot {slot} hat ein Profil, das gelöscht wurde. Bitten Sie einen Administrator, ein anderes zu wählen.",
  "profile_mismatch/slot_unused":
    "Slot {slot} bekommt hier keine Zertifikate. Wählen Sie einen anderen Slot oder fragen Sie einen Administrator.",
  "profile_mismatch/upn_missing":
    "Zum Anmelden an Computern braucht das Konto einen UPN oder seine Organisation einen Kerberos-Realm. Bitten Sie einen Administrator, einen davon einzutragen.",
  "profile_unsupported/ca_purposes":
    "Die CA kann keine Zertifikate für {purpose} ausstellen: Ihre eigenen erweiterten Schlüsselverwendungen (EKU) oder die einer übergeordneten CA enthalten das nicht. Wählen Sie ein anderes Profil.",
  "profile_unsupported/constant_subject":
    "Mit einem eigenen Tresor ist {field} in allen Zertifikaten eines Profils gleich: Platzhalter sind dort nicht möglich.",
  "profile_unsupported/profile_not_set_up":
    "Der Tresor kann noch keine Zertifikate des Profils {profile} ausstellen. Bitten Sie einen Administrator, keyward vault setup auszuführen.",
  "profile_unsupported/vault_uri": "Ein eigener Tresor stellt keine Zertifikate mit URIs als alternativen Namen aus.",
  "vault_unavailable/ca": "Das Zertifikat der CA ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/ca_unreadable":
    "Der Tresor liefert ein CA-Zertifikat, das nicht lesbar ist. Bitten Sie einen Administrator, den Tresor zu prüfen.",
  "vault_unavailable/crl": "Die Sperrliste ist gerade nicht verfügbar. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/not_compared":
    "Der Server hat seit dem Start den Tresor noch nicht erreicht. Bis dahin kann sich niemand anmelden. Versuchen Sie es gleich noch einmal.",
  "vault_unavailable/revocation_refused":
    "Der Widerruf ist vermerkt, aber der Tresor lehnt ihn ab, deshalb steht er nicht auf der Sperrliste. Der Server versucht es weiter. Bitten Sie einen Administrator, im Server-Log nachzusehen.",
  "vault_unavailable/revoked_unpublished":
    "Der Widerruf ist vermerkt, steht aber noch nicht auf der Sperrliste, weil der Tresor nicht antwortet. Er wird veröffentlicht, sobald der Tresor wieder da ist.",
  "vault_unavailable/stranger":
    "Dieser Tresor gehört nicht zu dieser Installation. Fragen Sie einen Administrator: Mehr dazu steht im Server-Log.",
};
