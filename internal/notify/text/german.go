package text

import (
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/notify"
)

var german = language{
	kinds: germanKinds,
	day: func(at time.Time) string {
		return fmt.Sprintf("%d. %s %d", at.Day(), deMonths[at.Month()-1], at.Year())
	},
	clock: func(at time.Time) string {
		zone := at.Format("MST")
		if name := deZones[zone]; name != "" {
			zone = name
		}
		return at.Format("15:04") + " Uhr " + zone
	},
	by:    "Keyward",
	token: func(label, serial string) string { return "„" + label + "“ (" + serial + ")" },
	slots: map[string]string{"9a": "Anmeldezertifikat", "9c": "Signaturzertifikat", "9d": "Verschlüsselungszertifikat",
		"9e": "Kartenleserzertifikat"},
	inSlot: "Zertifikat in Slot ",
	mail: mailWords{
		hello:  func(name string) string { return "Guten Tag " + name + "," },
		nobody: "Guten Tag,",
		feet: map[Foot]string{
			OfAccount:      "Sie bekommen diese E-Mail, weil es um die Sicherheit Ihres Kontos geht",
			OfInstallation: "Sie bekommen diese E-Mail als globaler Administrator",
			Invited:        "Sie bekommen diese E-Mail, weil für Sie ein Konto angelegt wurde",
			Chosen:         "Welche E-Mails Sie bekommen, legen Sie in Ihrem Profil fest",
		},
		answer: "Gesendet von Keyward. Antworten werden nicht gelesen.",
	},
}

var deMonths = []string{"Januar", "Februar", "März", "April", "Mai", "Juni",
	"Juli", "August", "September", "Oktober", "November", "Dezember"}

var deZones = map[string]string{"CET": "MEZ", "CEST": "MESZ"}

var germanKinds = map[notify.Kind]func(*words) Text{
	notify.AgentPaired: func(w *words) Text {
		return Text{"Ein neuer Agent wurde mit Ihrem Konto gekoppelt", said(
			"Der Agent "+w.get("code")+" wurde von "+w.get("ip")+" aus mit Ihrem Konto gekoppelt.",
			"Waren Sie das nicht? Dann entfernen Sie ihn in Ihrem Profil, ändern Sie Ihr Passwort und informieren Sie Ihren Administrator.",
		), nil, deProfile()}
	},
	notify.AgentReplaced: func(w *words) Text {
		return Text{"In Ihrer Sitzung wurde ein anderer Agent registriert", said(
			"In Ihrer Sitzung wurde von "+w.get("ip")+" aus ein anderer Ihrer Agenten registriert.",
			"Waren Sie das nicht? Dann beenden Sie die Sitzung in Ihrem Profil und informieren Sie Ihren Administrator.",
		), nil, deProfile()}
	},
	notify.AccountLocked: func(w *words) Text {
		return Text{"Ihr Konto wurde gesperrt", said(
			fmt.Sprintf("Ihr Konto ist bis %s gesperrt: Die Anmeldung ist %d-mal nacheinander fehlgeschlagen, zuletzt von %s aus.",
				w.at("until"), w.number("attempts"), w.get("ip")),
			"Waren Sie das nicht? Dann informieren Sie Ihren Administrator.",
		), nil, deProfile()}
	},
	notify.PasswordChanged: func(w *words) Text {
		return Text{"Ihr Passwort wurde geändert", said(
			"Ihr Passwort wurde von "+w.get("ip")+" aus geändert. Sie wurden überall abgemeldet.",
			"Waren Sie das nicht? Dann informieren Sie sofort Ihren Administrator.",
		), nil, deProfile()}
	},
	notify.PasswordReset: func(w *words) Text {
		return Text{"Ihr Passwort wurde zurückgesetzt", said(
			w.by()+" hat Ihr Passwort zurückgesetzt. Sie wurden überall abgemeldet. "+
				"Bei der nächsten Anmeldung müssen Sie ein neues wählen.",
			deUnasked,
		), nil, deProfile()}
	},
	notify.EmailChanged: func(w *words) Text {
		return Text{"Ihre E-Mail-Adresse wurde geändert", said(
			w.by()+" hat die E-Mail-Adresse Ihres Kontos geändert. Bisher war sie "+w.get("former")+".",
			deUnasked,
		), nil, deProfile()}
	},
	notify.Invitation: func(w *words) Text {
		subject, at := "Ihr Keyward-Konto", ""
		if o := w.maybe("organization"); o != "" {
			subject, at = "Ihr Konto bei "+o, "bei "+o+" "
		}
		name := ""
		if n := w.maybe("username"); n != "" {
			name = "Ihr Benutzername ist " + n + "."
		}
		return Text{subject, said(
			w.by()+" hat "+at+"ein Keyward-Konto für Sie angelegt.", name,
			"Wählen Sie bis "+w.at("expires_at")+" Ihr Passwort. Der Link gilt nur einmal. Geben Sie ihn nicht weiter.",
		), nil, &Link{invitationPage, "Passwort wählen"}}
	},

	notify.TokenAssigned: func(w *words) Text {
		return Text{"Ihnen wurde ein Token zugewiesen", said(
			w.by()+" hat Ihnen den Token "+w.token()+" zugewiesen.",
			"Stecken Sie ihn ein, um ihn einzurichten.",
		), nil, w.deToken()}
	},
	notify.TokenSetUp: deSetUp,
	notify.TokenTaken: func(w *words) Text {
		return Text{"Der Token " + w.get("serial") + " gehört Ihnen nicht mehr", said(
			w.by()+" hat Sie als Inhaber des Tokens "+w.token()+" entfernt. Seine Zertifikate sind widerrufen.",
			"Wenn Sie ihn noch haben, geben Sie ihn zurück.",
		), nil, &Link{tokensPage, "Meine Token ansehen"}}
	},
	notify.TokenStatus: deTokenStatus,
	notify.TokenReset: func(w *words) Text {
		return Text{"Ihr Token " + w.get("serial") + " wurde zurückgesetzt", said(
			w.by()+" hat Ihren Token "+w.token()+" zurückgesetzt. Seine Zertifikate sind widerrufen, und er muss neu eingerichtet werden.",
			w.deReason(), deUnasked,
		), nil, w.deToken()}
	},
	notify.TokenUnblocked: func(w *words) Text {
		return Text{"Die PIN Ihres Tokens " + w.get("serial") + " wurde entsperrt", said(
			w.by()+" hat die PIN Ihres Tokens "+w.token()+" entsperrt. Der Token hat jetzt eine neue PIN.",
			w.deReason(), deUnasked,
		), nil, w.deToken()}
	},
	notify.SecretsReleased: func(w *words) Text {
		subject := "Geheimnisse Ihres Tokens " + w.get("serial") + " wurden herausgegeben"
		if hasPIN(w.get("fields")) {
			subject = "Die PIN Ihres Tokens " + w.get("serial") + " wurde herausgegeben"
		}
		return Text{subject, said(
			w.by()+" hat die Geheimnisse Ihres Tokens "+w.token()+" bekommen ("+secrets(w.get("fields"), "Management-Schlüssel")+").",
			w.deReason(), deUnasked,
		), nil, w.deToken()}
	},

	notify.CertificateIssued: func(w *words) Text {
		unproved := ""
		if w.get("attested") != "true" {
			unproved = "Es gibt keinen Nachweis, dass sein Schlüssel auf dem Token erzeugt wurde."
		}
		return Text{"Auf Ihren Namen wurde ein Zertifikat ausgestellt", said(
			w.by()+" hat auf Ihren Namen ein Zertifikat für Ihren Token "+w.token()+" ausgestellt: das "+w.certificate()+".",
			unproved, w.deReason(), deUnasked,
		), nil, &Link{w.certificatePage(), "Zertifikat ansehen"}}
	},
	notify.CertificateRevoked: deRevoked,
	notify.CertificateExpires: func(w *words) Text {
		return Text{fmt.Sprintf("Ein Zertifikat auf Ihrem Token %s läuft in %s ab", w.get("serial"), deDays(w.number("days"))), said(
			"Das "+w.certificate()+" Ihres Tokens "+w.token()+" läuft am "+w.date("ends_at")+" ab.",
			"Erneuern Sie es vorher: Stecken Sie den Token ein und wählen Sie „Erneuern“.",
		), nil, w.deToken()}
	},
	notify.CertificateEnded: func(w *words) Text {
		return Text{"Ein Zertifikat auf Ihrem Token " + w.get("serial") + " ist abgelaufen", said(
			"Das "+w.certificate()+" Ihres Tokens "+w.token()+" ist am "+w.date("ends_at")+" abgelaufen und wurde nicht erneuert.",
			"Es gilt nicht mehr. Stecken Sie den Token ein und wählen Sie „Erneuern“.",
		), nil, w.deToken()}
	},
	notify.CertificatesExpireSummary: deCertificatesEnding,

	notify.AdminAdded:      deAdminAdded,
	notify.CAChanged:       deCAChanged,
	notify.CAEnding:        deCAEnding,
	notify.BackupSettings:  deBackupSettings,
	notify.ReleaseLimit:    deReleaseLimit,
	notify.LicenseEnding:   deLicenseEnding,
	notify.BackupFailed:    deFailed,
	notify.DrillFailed:     deFailed,
	notify.BackupOverdue:   deBackupOverdue,
	notify.AuditSealBroken: deSealBroken,
	notify.StoresDisagree:  deDisagree,
	notify.Digest:          deDigest,
}

const deUnasked = "Wenn Sie nicht wissen, warum, fragen Sie Ihren Administrator."

func deProfile() *Link { return &Link{profilePage, "Profil ansehen"} }

func (w *words) deToken() *Link { return &Link{w.tokenPage(), "Token ansehen"} }

func (w *words) deReason() string {
	if reason := w.maybe("reason"); reason != "" {
		return "Grund: „" + reason + "“."
	}
	return ""
}

func deOf(w *words) string {
	if o := w.maybe("organization"); o != "" {
		return ": " + o
	}
	return ""
}

// deDays is the dative, after "in".
func deDays(n int) string {
	if n == 1 {
		return "einem Tag"
	}
	return fmt.Sprintf("%d Tagen", n)
}

func deTokenStatus(w *words) Text {
	what, means := "", ""
	switch w.get("status") {
	case "suspended":
		what, means = "vorübergehend gesperrt",
			"Bis er wieder freigegeben wird, bekommen Sie seine PIN nicht, und er bekommt keine Zertifikate."
	case "lost":
		what, means = "als verloren gemeldet", "Seine Zertifikate sind widerrufen."
	case "retired":
		what, means = "ausgemustert", "Seine Zertifikate sind widerrufen."
	case "assigned", "active":
		what, means = "wieder freigegeben", "Sie können ihn wieder benutzen."
	default:
		w.lack("status")
	}
	return Text{"Ihr Token " + w.get("serial") + " wurde " + what, said(
		w.by()+" hat Ihren Token "+w.token()+" "+what+". "+means, w.deReason(), deUnasked), nil, w.deToken()}
}

func deRevoked(w *words) Text {
	link := &Link{certificatesPage, "Zertifikate ansehen"}
	if n := w.number("count"); n > 1 {
		return Text{"Zertifikate auf Ihren Namen wurden widerrufen", said(
			fmt.Sprintf("%s hat %d Zertifikate widerrufen, in denen ein früherer Name von Ihnen steht.", w.by(), n),
			"Lassen Sie für Ihre Token neue ausstellen.",
		), nil, link}
	}
	if w.maybe("serial") == "" {
		return Text{"Ein Zertifikat auf Ihren Namen wurde widerrufen", said(
			w.by()+" hat ein Zertifikat widerrufen, in dem ein früherer Name von Ihnen steht.",
			"Lassen Sie für Ihren Token ein neues ausstellen.",
		), nil, link}
	}
	why := deReasons[w.maybe("reason")]
	if why != "" {
		why = "Grund: " + why + "."
	}
	return Text{"Ein Zertifikat auf Ihrem Token " + w.get("serial") + " wurde widerrufen", said(
		w.by()+" hat das "+w.certificate()+" Ihres Tokens "+w.token()+" widerrufen.",
		why, "Dienste lehnen es ab, sobald sie die nächste Sperrliste geladen haben. Stecken Sie den Token ein und erneuern Sie es.",
	), nil, w.deToken()}
}

var deReasons = map[string]string{
	"keyCompromise":      "Jemand anderes könnte den Schlüssel haben",
	"affiliationChanged": "Sie sind ausgeschieden, oder Ihre Angaben haben sich geändert",
	"superseded":         "Ein anderes ersetzt es", "cessationOfOperation": "Es wird nicht mehr gebraucht",
	"privilegeWithdrawn": "Die Berechtigung wurde entzogen",
}
