package text

import (
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/notify"
)

var english = language{
	kinds: englishKinds,
	day:   func(at time.Time) string { return at.Format("2 January 2006") },
	clock: func(at time.Time) string { return at.Format("15:04 MST") },
	by:    "Keyward",
	token: func(label, serial string) string { return "“" + label + "” (" + serial + ")" },
	slots: map[string]string{"9a": "sign-in certificate", "9c": "signature certificate", "9d": "encryption certificate",
		"9e": "card reader certificate"},
	inSlot: "certificate in slot ",
	mail: mailWords{
		hello:  func(name string) string { return "Hello " + name + "," },
		nobody: "Hello,",
		feet: map[Foot]string{
			OfAccount:      "You get this email because it is about the security of your account",
			OfInstallation: "You get this email because you are a global administrator",
			Invited:        "You get this email because an account was created for you",
			Chosen:         "Choose which emails you get in your profile",
		},
		answer: "Sent by Keyward. Replies are not read.",
	},
}

var englishKinds = map[notify.Kind]func(*words) Text{
	notify.AgentPaired: func(w *words) Text {
		return Text{"A new agent was paired with your account", said(
			"The agent "+w.get("code")+" was paired with your account, from "+w.get("ip")+".",
			"If this wasn't you, remove it in your profile, change your password and tell your administrator.",
		), nil, enProfile()}
	},
	notify.AgentReplaced: func(w *words) Text {
		return Text{"Another of your agents was registered with your session", said(
			"Another of your agents was registered with your session, from "+w.get("ip")+".",
			"If this wasn't you, end the session in your profile and tell your administrator.",
		), nil, enProfile()}
	},
	notify.AccountLocked: func(w *words) Text {
		return Text{"Your account was locked", said(
			fmt.Sprintf("Your account is locked until %s, after %d failed sign-ins in a row, the last from %s.",
				w.at("until"), w.number("attempts"), w.get("ip")),
			"If this wasn't you, tell your administrator.",
		), nil, enProfile()}
	},
	notify.PasswordChanged: func(w *words) Text {
		return Text{"Your password was changed", said(
			"Your password was changed from "+w.get("ip")+". You were signed out everywhere.",
			"If this wasn't you, tell your administrator at once.",
		), nil, enProfile()}
	},
	notify.PasswordReset: func(w *words) Text {
		return Text{"Your password was reset", said(
			w.by()+" reset your password. You were signed out everywhere. You must choose a new password when you next sign in.",
			enUnasked,
		), nil, enProfile()}
	},
	notify.EmailChanged: func(w *words) Text {
		return Text{"Your email address was changed", said(
			w.by()+" changed your account's email address. It was "+w.get("former")+".",
			enUnasked,
		), nil, enProfile()}
	},
	notify.Invitation: func(w *words) Text {
		subject, at := "Your Keyward account", ""
		if o := w.maybe("organization"); o != "" {
			subject, at = "Your account at "+o, " at "+o
		}
		name := ""
		if n := w.maybe("username"); n != "" {
			name = "Your username is " + n + "."
		}
		return Text{subject, said(
			w.by()+" created a Keyward account for you"+at+".", name,
			"Choose your password by "+w.at("expires_at")+". The link works once. Don't share it.",
		), nil, &Link{invitationPage, "Choose a password"}}
	},

	notify.TokenAssigned: func(w *words) Text {
		return Text{"A token was assigned to you", said(
			w.by()+" assigned the token "+w.token()+" to you.",
			"Plug it in to set it up.",
		), nil, w.enToken()}
	},
	notify.TokenSetUp: enSetUp,
	notify.TokenTaken: func(w *words) Text {
		return Text{"The token " + w.get("serial") + " is no longer yours", said(
			w.by()+" removed the token "+w.token()+" from your account. Its certificates are revoked.",
			"If you still have it, return it.",
		), nil, &Link{tokensPage, "View My tokens"}}
	},
	notify.TokenStatus: enTokenStatus,
	notify.TokenReset: func(w *words) Text {
		return Text{"Your token " + w.get("serial") + " was reset", said(
			w.by()+" reset your token "+w.token()+". Its certificates are revoked, and it must be set up again.",
			w.enReason(), enUnasked,
		), nil, w.enToken()}
	},
	notify.TokenUnblocked: func(w *words) Text {
		return Text{"The PIN of your token " + w.get("serial") + " was unblocked", said(
			w.by()+" unblocked the PIN of your token "+w.token()+". The token now has a new PIN.",
			w.enReason(), enUnasked,
		), nil, w.enToken()}
	},
	notify.SecretsReleased: func(w *words) Text {
		what := "secrets"
		if hasPIN(w.get("fields")) {
			what = "the PIN"
		}
		return Text{"Someone got " + what + " of your token " + w.get("serial"), said(
			w.by()+" got the secrets of your token "+w.token()+" ("+secrets(w.get("fields"), "management key")+").",
			w.enReason(), enUnasked,
		), nil, w.enToken()}
	},

	notify.CertificateIssued: func(w *words) Text {
		unproved := ""
		if w.get("attested") != "true" {
			unproved = "There is no proof that its key was created on the token."
		}
		return Text{"A certificate in your name was issued", said(
			w.by()+" issued a certificate in your name for your token "+w.token()+": the "+w.certificate()+".",
			unproved, w.enReason(), enUnasked,
		), nil, &Link{w.certificatePage(), "View certificate"}}
	},
	notify.CertificateRevoked: enRevoked,
	notify.CertificateExpires: func(w *words) Text {
		return Text{fmt.Sprintf("A certificate on your token %s expires in %s", w.get("serial"), enDays(w.number("days"))), said(
			"The "+w.certificate()+" of your token "+w.token()+" expires on "+w.date("ends_at")+".",
			"Renew it before then: plug in the token and choose Renew.",
		), nil, w.enToken()}
	},
	notify.CertificateEnded: func(w *words) Text {
		return Text{"A certificate on your token " + w.get("serial") + " has expired", said(
			"The "+w.certificate()+" of your token "+w.token()+" expired on "+w.date("ends_at")+" and was not renewed.",
			"It no longer works. Plug in the token and choose Renew.",
		), nil, w.enToken()}
	},
	notify.CertificatesExpireSummary: enCertificatesEnding,

	notify.AdminAdded:      enAdminAdded,
	notify.CAChanged:       enCAChanged,
	notify.CAEnding:        enCAEnding,
	notify.BackupSettings:  enBackupSettings,
	notify.ReleaseLimit:    enReleaseLimit,
	notify.LicenseEnding:   enLicenseEnding,
	notify.BackupFailed:    enFailed,
	notify.DrillFailed:     enFailed,
	notify.BackupOverdue:   enBackupOverdue,
	notify.AuditSealBroken: enSealBroken,
	notify.StoresDisagree:  enDisagree,
	notify.Digest:          enDigest,
}

const enUnasked = "If you don't know why, ask your administrator."

func enProfile() *Link { return &Link{profilePage, "View your profile"} }

func (w *words) enToken() *Link { return &Link{w.tokenPage(), "View token"} }

func (w *words) enReason() string {
	if reason := w.maybe("reason"); reason != "" {
		return "Reason: “" + reason + "”."
	}
	return ""
}

func enOf(w *words) string {
	if o := w.maybe("organization"); o != "" {
		return ": " + o
	}
	return ""
}

func enDays(n int) string {
	if n == 1 {
		return "1 day"
	}
	return fmt.Sprintf("%d days", n)
}

func enTokenStatus(w *words) Text {
	what, means := "", ""
	switch w.get("status") {
	case "suspended":
		what, means = "suspended", "Until it is reactivated, you can't get its PIN, and it can't get certificates."
	case "lost":
		what, means = "reported lost", "Its certificates are revoked."
	case "retired":
		what, means = "retired", "Its certificates are revoked."
	case "assigned", "active":
		what, means = "reactivated", "You can use it again."
	default:
		w.lack("status")
	}
	did := what + " your token " + w.token()
	if before, after, ok := strings.Cut(what, " "); ok {
		did = before + " your token " + w.token() + " " + after
	}
	return Text{"Your token " + w.get("serial") + " was " + what, said(w.by()+" "+did+". "+means, w.enReason(), enUnasked), nil, w.enToken()}
}

func enRevoked(w *words) Text {
	if n := w.number("count"); n > 1 {
		return Text{"Certificates in your name were revoked", said(
			fmt.Sprintf("%s revoked %d certificates issued in a former name of yours.", w.by(), n),
			"Get new ones for your tokens.",
		), nil, &Link{certificatesPage, "View certificates"}}
	}
	if w.maybe("serial") == "" {
		return Text{"A certificate in your name was revoked", said(
			w.by()+" revoked a certificate issued in a former name of yours.",
			"Get a new one for your token.",
		), nil, &Link{certificatesPage, "View certificates"}}
	}
	why := enReasons[w.maybe("reason")]
	if why != "" {
		why = "Reason: " + why + "."
	}
	return Text{"A certificate on your token " + w.get("serial") + " was revoked", said(
		w.by()+" revoked the "+w.certificate()+" of your token "+w.token()+".",
		why, "Services stop accepting it when they next fetch the revocation list. Plug in the token and renew it.",
	), nil, w.enToken()}
}

var enReasons = map[string]string{
	"keyCompromise": "someone else may have the key", "affiliationChanged": "you left, or your details changed",
	"superseded": "another one replaces it", "cessationOfOperation": "it is no longer needed",
	"privilegeWithdrawn": "the permission was withdrawn",
}
