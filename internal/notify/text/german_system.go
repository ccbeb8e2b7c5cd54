package text

import "fmt"

func deCertificatesEnding(w *words) Text {
	lines := some(
		count{w.number("n0"), "1 Zertifikat ist abgelaufen.", "# Zertifikate sind abgelaufen."},
		count{w.number("n1"), "1 Zertifikat läuft innerhalb eines Tages ab.", "# Zertifikate laufen innerhalb eines Tages ab."},
		count{w.number("n3"), "1 Zertifikat läuft innerhalb von 3 Tagen ab.", "# Zertifikate laufen innerhalb von 3 Tagen ab."},
		count{w.number("n7"), "1 Zertifikat läuft innerhalb von 7 Tagen ab.", "# Zertifikate laufen innerhalb von 7 Tagen ab."},
		count{w.number("n14"), "1 Zertifikat läuft innerhalb von 14 Tagen ab.", "# Zertifikate laufen innerhalb von 14 Tagen ab."},
		count{w.number("n30"), "1 Zertifikat läuft innerhalb von 30 Tagen ab.", "# Zertifikate laufen innerhalb von 30 Tagen ab."},
	)
	return Text{"Ablaufende Zertifikate" + deOf(w), append(lines, "Noch nicht erneuert:"),
		append(w.list("tokens"), some(count{w.number("more"), "1 weiterer", "# weitere"})...),
		&Link{certificatesPage, "Zertifikate ansehen"}}
}

func deAdminAdded(w *words) Text {
	return Text{w.get("username") + " ist jetzt globaler Administrator", said(
		"Das Konto "+w.get("username")+" ist jetzt ein aktiver globaler Administrator und darf in dieser Installation alles. "+
			"Geändert hat das "+w.by()+".",
		"Wenn Sie nicht wissen, warum: Deaktivieren Sie das Konto, und finden Sie heraus, wer das war.",
	), nil, &Link{peoplePage, "Personen ansehen"}}
}

func deCAChanged(w *words) Text {
	what := map[string]string{
		"ca.requested": "hat die CA %s angefordert.", "ca.installed": "hat das Zertifikat der CA %s eingespielt.",
		"ca.activated": "hat die CA %s aktiviert.", "ca.retired": "hat die CA %s außer Dienst gestellt.",
	}[w.get("action")]
	if what == "" {
		what = "hat die CA %s geändert."
	}
	return Text{"Eine CA wurde geändert", said(
		w.by()+" "+fmt.Sprintf(what, w.get("ca")),
		"Die aktive CA unterschreibt die Zertifikate aller Token. Wenn Sie nicht wissen, warum das geändert wurde, fragen Sie nach.",
	), nil, &Link{casPage, "CAs ansehen"}}
}

func deCAEnding(w *words) Text {
	return Text{"Die CA braucht eine Nachfolgerin", said(
		"Die CA "+w.get("ca")+" endet am "+w.date("ends_at")+". In spätestens 90 Tagen enden die Zertifikate, die sie unterschreibt, früher als "+
			"vorgesehen.",
		"Fordern Sie eine weitere CA an, sorgen Sie dafür, dass Geräte und Programme ihr vertrauen, und aktivieren Sie sie.",
	), nil, &Link{casPage, "CAs ansehen"}}
}

func deBackupSettings(w *words) Text {
	return Text{"Die Einstellungen der Sicherungen wurden geändert", said(
		w.by()+" hat diese Einstellungen der Sicherungen geändert: "+w.get("changed")+".",
		"Wer das Passwort der Sicherungen kennt und eine Sicherung hat, kann alle Geheimnisse darin lesen. Wenn Sie nicht "+
			"wissen, warum das geändert wurde, fragen Sie nach.",
	), nil, &Link{backupsPage, "Sicherungen ansehen"}}
}

func deReleaseLimit(w *words) Text {
	return Text{w.by() + " hat Geheimnisse zu vieler Token angefordert", said(
		fmt.Sprintf("%s hat innerhalb einer Stunde Geheimnisse von mehr als %d verschiedenen Token angefordert, oder "+
			"Zertifikate ohne Attestierung für sie. Das wurde abgelehnt.", w.by(), w.number("limit")),
		"Welche es waren, steht im Protokoll unter "+w.get("action")+".",
	), nil, &Link{auditPage, "Protokoll ansehen"}}
}

func deLicenseEnding(w *words) Text {
	what := "Die Lizenz"
	if w.get("what") == "trial" {
		what = "Die Testphase"
	}
	const next = "kann niemand Konten, Token oder Zertifikate hinzufügen, bis eine Lizenz hochgeladen ist. " +
		"Alles andere funktioniert weiter, und gültige Zertifikate lassen sich erneuern."
	link := &Link{licensePage, "Lizenz ansehen"}
	if days := w.number("days"); days > 0 {
		return Text{what + " läuft in " + deDays(days) + " ab", said(
			what+" dieser Installation läuft in "+deDays(days)+" ab, am "+w.at("ends_at")+".", "Danach "+next), nil, link}
	}
	return Text{what + " ist abgelaufen", said(what+" dieser Installation ist abgelaufen.", "Ab jetzt "+next), nil, link}
}

func deFailed(w *words) Text {
	var what, planned, of string
	switch w.get("job") {
	case "backup":
		what, planned, of = "Eine Sicherung", "geplante ", "Die %sSicherung vom %s"
	case "restore":
		what, planned, of = "Eine Wiederherstellung", "geplante ", "Die %sWiederherstellung vom %s"
	case "drill":
		what, planned, of = "Eine Testwiederherstellung", "geplante ", "Die %sTestwiederherstellung vom %s"
	default:
		w.lack("job")
		return Text{}
	}
	if w.maybe("scheduled") != "true" {
		planned = ""
	}
	return Text{what + " ist fehlgeschlagen", said(fmt.Sprintf(of, planned, w.at("began"))+" ist fehlgeschlagen.", deCause(w)), nil,
		&Link{backupsPage, "Sicherungen ansehen"}}
}

func deBackupOverdue(w *words) Text {
	link := &Link{backupsPage, "Sicherungen ansehen"}
	latest := ""
	if w.maybe("latest") != "" {
		latest = w.at("latest")
	}
	if w.get("what") == "drill" {
		last := "Es gab noch nie eine erfolgreiche Testwiederherstellung."
		if latest != "" {
			last = "Die letzte erfolgreiche war am " + latest + "."
		}
		return Text{"Eine Testwiederherstellung ist ausgeblieben", said(
			"Die für den "+w.at("due")+" geplante Testwiederherstellung ist ausgeblieben.", last), nil, link}
	}
	last := "Es gibt noch keine Sicherung."
	if latest != "" {
		last = "Die neueste ist vom " + latest + "."
	}
	return Text{"Eine Sicherung ist ausgeblieben", said("Die für den "+w.at("due")+" geplante Sicherung ist ausgeblieben.", last), nil, link}
}

func deSealBroken(w *words) Text {
	return Text{"Das Protokoll wurde von außen verändert", said(
		"Das Protokoll wurde von außen verändert und wird nicht weiter versiegelt. Meldung (englisch): "+w.get("reason")+".",
		"Finden Sie heraus, wer in die Datenbank schreiben konnte, und führen Sie keyward audit verify aus.",
	), nil, &Link{healthPage, "Systemzustand ansehen"}}
}

func deDisagree(w *words) Text {
	older, alone, knows := "Die Datenbank", "die Datenbank", "sie laut Tresor"
	if w.get("older") == "vault" {
		older, alone, knows = "Der Tresor", "der Tresor", "er laut Datenbank"
	}
	return Text{older + " ist nicht auf dem neuesten Stand", said(
		older+" ist älter, als "+knows+" sein dürfte, etwa weil nur "+alone+" aus einer Sicherung eingespielt wurde.",
		"Geheimnisse und Signaturen sind blockiert, bis der richtige Stand eingespielt oder dieser mit keyward recover akzeptiert ist.",
	), nil, &Link{healthPage, "Systemzustand ansehen"}}
}

func deDigest(w *words) Text {
	backups := map[string]string{
		"failed": "Die letzte Sicherung ist fehlgeschlagen", "overdue": "Eine geplante Sicherung ist ausgeblieben",
		"disproven": "Die letzte Testwiederherstellung ist fehlgeschlagen",
		"unproven":  "Eine geplante Testwiederherstellung ist ausgeblieben",
	}
	list := some(
		count{w.number("ending"), "1 Zertifikat läuft innerhalb von 30 Tagen ab", "# Zertifikate laufen innerhalb von 30 Tagen ab"},
		count{w.number("ended"), "1 Token in Gebrauch hat ein Zertifikat, das in den letzten 7 Tagen abgelaufen ist",
			"# Token in Gebrauch haben ein Zertifikat, das in den letzten 7 Tagen abgelaufen ist"},
		count{w.number("unset"), "1 zugewiesener Token ist nicht eingerichtet", "# zugewiesene Token sind nicht eingerichtet"},
		count{w.number("lost"), "1 Token ist verloren", "# Token sind verloren"},
		count{w.number("rotations"), "1 Änderung von Geheimnissen wurde unterbrochen", "# Änderungen von Geheimnissen wurden unterbrochen"},
		count{w.number("locked"), "1 Konto ist gesperrt", "# Konten sind gesperrt"},
		count{w.number("unreached"), "Bei 1 Person kommen E-Mails nicht an", "Bei # Personen kommen E-Mails nicht an"},
	)
	return Text{"Was diese Woche zu tun ist" + deOf(w), []string{"Diese Woche zu tun:"},
		append(list, said(backups[w.maybe("backup")])...), &Link{"/", "Keyward öffnen"}}
}
