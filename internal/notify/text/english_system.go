package text

import "fmt"

func enCertificatesEnding(w *words) Text {
	lines := some(
		count{w.number("n0"), "1 certificate has expired.", "# certificates have expired."},
		count{w.number("n1"), "1 certificate expires within a day.", "# certificates expire within a day."},
		count{w.number("n3"), "1 certificate expires within 3 days.", "# certificates expire within 3 days."},
		count{w.number("n7"), "1 certificate expires within 7 days.", "# certificates expire within 7 days."},
		count{w.number("n14"), "1 certificate expires within 14 days.", "# certificates expire within 14 days."},
		count{w.number("n30"), "1 certificate expires within 30 days.", "# certificates expire within 30 days."},
	)
	return Text{"Certificates expiring" + enOf(w), append(lines, "Not renewed yet:"),
		append(w.list("tokens"), some(count{w.number("more"), "1 more", "# more"})...),
		&Link{certificatesPage, "View certificates"}}
}

func enAdminAdded(w *words) Text {
	return Text{w.get("username") + " is now a global administrator", said(
		w.by()+" made the account "+w.get("username")+" an active global administrator, who may do everything in this installation.",
		"If you don't know why, disable the account and find out who did it.",
	), nil, &Link{peoplePage, "View people"}}
}

func enCAChanged(w *words) Text {
	what := map[string]string{
		"ca.requested": "has requested", "ca.installed": "has installed the certificate of",
		"ca.activated": "has activated", "ca.retired": "has retired",
	}[w.get("action")]
	if what == "" {
		what = "has changed"
	}
	return Text{"A CA was changed", said(
		w.by()+" "+what+" the CA "+w.get("ca")+".",
		"The active CA signs every token's certificate. If you don't know why this was changed, find out.",
	), nil, &Link{casPage, "View CAs"}}
}

func enCAEnding(w *words) Text {
	return Text{"The CA needs a successor", said(
		"The CA "+w.get("ca")+" ends on "+w.date("ends_at")+". Within 90 days, the certificates that it signs will end earlier than they should.",
		"Request another CA, have people and servers trust it, and activate it.",
	), nil, &Link{casPage, "View CAs"}}
}

func enBackupSettings(w *words) Text {
	return Text{"The backup settings were changed", said(
		w.by()+" changed these backup settings: "+w.get("changed")+".",
		"Whoever knows the backup password and has a backup can read every secret in it. If you don't know why this "+
			"was changed, find out.",
	), nil, &Link{backupsPage, "View backups"}}
}

func enReleaseLimit(w *words) Text {
	return Text{w.by() + " asked for the secrets of too many tokens", said(
		fmt.Sprintf("%s asked for the secrets of more than %d different tokens within an hour, or for "+
			"certificates without attestation for them, and was denied.", w.by(), w.number("limit")),
		"The audit log shows which ones, under "+w.get("action")+".",
	), nil, &Link{auditPage, "View audit log"}}
}

func enLicenseEnding(w *words) Text {
	what := "license"
	if w.get("what") == "trial" {
		what = "trial"
	}
	const next = "no accounts, tokens or certificates can be added until a license is uploaded. " +
		"Everything else keeps working, and valid certificates can be renewed."
	link := &Link{licensePage, "View license"}
	if days := w.number("days"); days > 0 {
		return Text{"The " + what + " expires in " + enDays(days), said(
			"The "+what+" of this installation expires in "+enDays(days)+", on "+w.at("ends_at")+".", "After that, "+next), nil, link}
	}
	return Text{"The " + what + " has expired", said("The "+what+" of this installation has expired.", "From now on, "+next), nil, link}
}

func enBackupOverdue(w *words) Text {
	link := &Link{backupsPage, "View backups"}
	latest := ""
	if w.maybe("latest") != "" {
		latest = w.at("latest")
	}
	if w.get("what") == "drill" {
		last := "There has never been a successful trial restore."
		if latest != "" {
			last = "The last successful trial restore was on " + latest + "."
		}
		return Text{"A trial restore was missed", said("The trial restore scheduled for "+w.at("due")+" did not run.", last), nil, link}
	}
	last := "No backup exists yet."
	if latest != "" {
		last = "The latest backup is from " + latest + "."
	}
	return Text{"A backup was missed", said("The backup scheduled for "+w.at("due")+" did not run.", last), nil, link}
}

func enSealBroken(w *words) Text {
	return Text{"The audit log was changed from outside", said(
		"The audit log was changed from outside, and is no longer sealed: "+w.get("reason")+".",
		"Find out who could write to the database, and run keyward audit verify.",
	), nil, &Link{healthPage, "View system health"}}
}

func enDisagree(w *words) Text {
	older, other := "database", "vault"
	if w.get("older") == "vault" {
		older, other = other, older
	}
	return Text{"The " + older + " is older than it should be", said(
		"The "+older+" is older than the "+other+" expects, for example because only the "+older+" was restored.",
		"Secrets and signatures are on hold until you put the right one in place or accept this one with keyward recover.",
	), nil, &Link{healthPage, "View system health"}}
}

func enDigest(w *words) Text {
	backups := map[string]string{
		"failed": "The latest backup failed", "overdue": "A scheduled backup was missed",
		"disproven": "The latest trial restore failed", "unproven": "A scheduled trial restore was missed",
	}
	list := some(
		count{w.number("ending"), "1 certificate expires within 30 days", "# certificates expire within 30 days"},
		count{w.number("ended"), "1 token in use has a certificate that expired in the last 7 days",
			"# tokens in use have a certificate that expired in the last 7 days"},
		count{w.number("unset"), "1 assigned token is not set up", "# assigned tokens are not set up"},
		count{w.number("lost"), "1 token is lost", "# tokens are lost"},
		count{w.number("rotations"), "1 change of secrets was interrupted", "# changes of secrets were interrupted"},
		count{w.number("locked"), "1 account is locked", "# accounts are locked"},
		count{w.number("unreached"), "Email to 1 person is failing", "Email to # people is failing"},
	)
	return Text{"To do this week" + enOf(w), []string{"To do this week:"},
		append(list, said(backups[w.maybe("backup")])...), &Link{"/", "Open Keyward"}}
}

func enFailed(w *words) Text {
	what := map[string]string{"backup": "backup", "restore": "restore", "drill": "trial restore"}[w.get("job")]
	if what == "" {
		w.lack("job")
	}
	name := what
	if w.maybe("scheduled") == "true" {
		name = "scheduled " + what
	}
	return Text{"A " + what + " failed", said("The "+name+" of "+w.at("began")+" failed.", w.maybe("error")), nil,
		&Link{backupsPage, "View backups"}}
}
