package text

import "strings"

func enSetUp(w *words) Text {
	unproved := ""
	if w.maybe("unproved") != "" {
		unproved = "There is no proof that every key was created on the token."
	}
	pin := "It has a random PIN. Choose your own: plug in the token."
	if w.maybe("pin") != "" {
		pin = "It has the PIN that was chosen."
	}
	list := said(
		mark(w.maybe("assigned"), "The token was assigned to you."),
		mark(w.maybe("fields"), w.by()+" got its secrets ("+secrets(w.maybe("fields"), "management key")+")."),
	)
	for _, name := range w.issued() {
		list = append(list, "A certificate in your name was issued: the "+name+".")
	}
	return Text{w.by() + " set up your token " + w.get("serial"), said(
		w.by()+" set up your token "+w.token()+". "+pin, unproved, w.enReason(), enUnasked,
		mark(strings.Join(list, ""), "In detail:"),
	), list, w.enToken()}
}

func deSetUp(w *words) Text {
	unproved := ""
	if w.maybe("unproved") != "" {
		unproved = "Es gibt keinen Nachweis, dass jeder Schlüssel auf dem Token erzeugt wurde."
	}
	pin := "Er hat eine zufällige PIN. Wählen Sie Ihre eigene: Stecken Sie den Token ein."
	if w.maybe("pin") != "" {
		pin = "Er hat die PIN, die dabei gewählt wurde."
	}
	list := said(
		mark(w.maybe("assigned"), "Der Token wurde Ihnen zugewiesen."),
		mark(w.maybe("fields"), w.by()+" hat seine Geheimnisse bekommen ("+secrets(w.maybe("fields"), "Management-Schlüssel")+")."),
	)
	for _, name := range w.issued() {
		list = append(list, "Auf Ihren Namen wurde ein Zertifikat ausgestellt: das "+name+".")
	}
	return Text{w.by() + " hat Ihren Token " + w.get("serial") + " eingerichtet", said(
		w.by()+" hat Ihren Token "+w.token()+" eingerichtet. "+pin, unproved, w.deReason(), deUnasked,
		mark(strings.Join(list, ""), "Im Einzelnen:"),
	), list, w.deToken()}
}

// mark returns a sentence if there is something that it is about.
func mark(about, sentence string) string {
	if about == "" {
		return ""
	}
	return sentence
}

// issued names the certificates of a set-up.
func (w *words) issued() (names []string) {
	for slot := range strings.SplitSeq(w.maybe("slots"), ",") {
		switch name := w.slots[slot]; {
		case slot == "":
		case name != "":
			names = append(names, name)
		default:
			names = append(names, w.inSlot+slot)
		}
	}
	return names
}
