package text

import "fmt"

func deCertificatesEnding(w *words) Text {
	lines := some(
		count{w.number("n0"), "1 Zertifikat ist abgelaufen.", "# Zertifikate sind abgelaufen."},
		count{w.number("n1"), "1 Zertifikat läuft binnen eines Tages ab.", "# Zertifikate laufen binnen eines Tages ab."},
		count{w.number("n3"), "1 Zertifikat läuft binnen 3 Tagen ab.", "# Zertifikate laufen binnen 3 Tagen ab."},
		count{w.number("n7"), "1 Zertifikat läuft binnen 7 Tagen ab.", "# Zertifikate laufen binnen 7 Tagen ab."},
		count{w.number("n14"), "1 Zertifikat läuft binnen 14 Tagen ab.", "# Zertifikate laufen binnen 14 Tagen ab."},
		count{w.number("n30"), "1 Zertifikat läuft binnen 30 Tagen ab.", "# Zertifikate laufen binnen 30 Tagen ab."},
	)
	return Text{"Ablaufende Zertifikate" + deOf(w), append(lines, "Noch nicht erneuert:"),
		append(w.list("tokens"), some(count{w.number("more"), "1 weiterer", "# weitere"})...),
		&Link{certificatesPage, "Zertifikate öffnen"}}
}

func deReleaseLimit(w *words) Text {
	return Text{w.by() + " wollte die Geheimnisse zu vieler Token haben", said(
		fmt.Sprintf("%s wollte binnen einer Stunde die Geheimnisse von mehr als %d verschiedenen Token haben, oder "+
			"Zertifikate ohne Attestierung für sie, und wurde abgewiesen.", w.by(), w.number("limit")),
		"Welche es waren, steht im Protokoll unter "+w.get("action")+".",
	), nil, &Link{auditPage, "Protokoll öffnen"}}
}

func deLicenseEnding(w *words) Text {
	what := "Die Lizenz"
	if w.get("what") == "trial" {
		what = "Die Testphase"
	}
	const next = "kommen keine Konten, Token und ersten Zertifikate mehr hinzu, bis eine Lizenz hochgeladen ist. " +
		"Alles andere funktioniert weiter."
	link := &Link{licensePage, "Lizenz öffnen"}
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
		what, planned, of = "Eine Probe der Wiederherstellung", "geplante ", "Die %sProbe der Wiederherstellung vom %s"
	default:
		w.lack("job")
		return Text{}
	}
	if w.maybe("scheduled") != "true" {
		planned = ""
	}
	message := ""
	if said := w.maybe("error"); said != "" {
		message = "Die Meldung, auf Englisch: " + said
	}
	return Text{what + " ist fehlgeschlagen", said(fmt.Sprintf(of, planned, w.at("began"))+" ist fehlgeschlagen.", message), nil,
		&Link{backupsPage, "Sicherungen öffnen"}}
}

func deBackupOverdue(w *words) Text {
	link := &Link{backupsPage, "Sicherungen öffnen"}
	latest := ""
	if w.maybe("latest") != "" {
		latest = w.at("latest")
	}
	if w.get("what") == "drill" {
		last := "Noch nie wurde nachgewiesen, dass sich eine Sicherung wiederherstellen lässt."
		if latest != "" {
			last = "Zuletzt wurde am " + latest + " nachgewiesen, dass sich eine Sicherung wiederherstellen lässt."
		}
		return Text{"Eine Probe der Wiederherstellung ist ausgeblieben", said(
			"Die Probe der Wiederherstellung vom "+w.at("due")+" ist ausgeblieben.", last), nil, link}
	}
	last := "Es gibt noch keine Sicherung."
	if latest != "" {
		last = "Die letzte ist vom " + latest + "."
	}
	return Text{"Eine Sicherung ist ausgeblieben", said("Die Sicherung vom "+w.at("due")+" ist ausgeblieben.", last), nil, link}
}

func deSealBroken(w *words) Text {
	return Text{"Das Protokoll wurde von außen verändert", said(
		"Das Protokoll wurde von außen verändert und wird nicht weiter versiegelt. Die Meldung, auf Englisch: "+w.get("reason")+".",
		"Stellen Sie fest, wer in die Datenbank schreiben konnte, und führen Sie keyward audit verify aus.",
	), nil, &Link{healthPage, "Zustand des Systems öffnen"}}
}

func deDisagree(w *words) Text {
	older, alone, knows := "Die Datenbank", "die Datenbank", "sie laut Tresor"
	if w.get("older") == "vault" {
		older, alone, knows = "Der Tresor", "der Tresor", "er laut Datenbank"
	}
	return Text{older + " ist nicht auf dem neuesten Stand", said(
		older+" ist älter, als "+knows+" sein dürfte, etwa weil nur "+alone+" aus einer Sicherung eingespielt wurde.",
		"Geheimnisse und Signaturen sind gesperrt, bis der richtige Stand eingespielt oder dieser mit keyward recover angenommen ist.",
	), nil, &Link{healthPage, "Zustand des Systems öffnen"}}
}

func deDigest(w *words) Text {
	backups := map[string]string{
		"failed": "Die letzte Sicherung ist fehlgeschlagen", "overdue": "Eine geplante Sicherung ist ausgeblieben",
		"disproven": "Die letzte Probe der Wiederherstellung ist fehlgeschlagen",
		"unproven":  "Eine geplante Probe der Wiederherstellung ist ausgeblieben",
	}
	list := some(
		count{w.number("ending"), "1 Zertifikat läuft binnen 30 Tagen ab", "# Zertifikate laufen binnen 30 Tagen ab"},
		count{w.number("ended"), "1 Token in Gebrauch hat ein Zertifikat, das in den letzten 7 Tagen abgelaufen ist",
			"# Token in Gebrauch haben ein Zertifikat, das in den letzten 7 Tagen abgelaufen ist"},
		count{w.number("unset"), "1 zugewiesener Token ist nicht eingerichtet", "# zugewiesene Token sind nicht eingerichtet"},
		count{w.number("lost"), "1 Token ist verloren", "# Token sind verloren"},
		count{w.number("rotations"), "1 Änderung von Geheimnissen ist nicht beendet", "# Änderungen von Geheimnissen sind nicht beendet"},
		count{w.number("locked"), "1 Konto ist gesperrt", "# Konten sind gesperrt"},
		count{w.number("unreached"), "Bei 1 Person kommen E-Mails nicht an", "Bei # Personen kommen E-Mails nicht an"},
	)
	return Text{"Was diese Woche zu tun ist" + deOf(w), []string{"Zu tun in dieser Woche:"},
		append(list, said(backups[w.maybe("backup")])...), &Link{"/", "Keyward öffnen"}}
}
