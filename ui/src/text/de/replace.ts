import type { Catalogue } from "../en";

export const replace: Catalogue["replace"] = {
  open: "Ersetzen …",
  title: (serial) => `Token ${serial} ersetzen`,
  back: (serial) => `Token ${serial}`,
  steps: "Schritte",
  out: {
    todo: "Alter Token außer Betrieb",
    lost: "Alter Token als verloren gemeldet",
    retired: "Alter Token ausgemustert",
  },
  assign: { todo: "Neuer Token zugewiesen", done: (serial) => `${serial} zugewiesen` },
  setUp: "Neuer Token eingerichtet",
  old: "Alter Token",
  next: "Neuer Token",
  nobody: "Dieser Token gehört niemandem, also braucht er keinen Ersatz.",
  why: "Was ist passiert?",
  whys: {
    lost: {
      name: "Verloren",
      text: "Jemand könnte ihn finden: Seine Zertifikate werden als kompromittiert widerrufen.",
    },
    stolen: { name: "Gestohlen", text: "Wie ein verlorener. Im Protokoll steht, dass er gestohlen wurde." },
    broken: {
      name: "Defekt",
      text: "Niemand sonst hat ihn: Er wird ausgemustert, und seine Zertifikate werden widerrufen, weil niemand sie mehr benutzt.",
    },
  },
  holds: (n) =>
    n === 0
      ? "Er hat keine gültigen Zertifikate."
      : n === 1
        ? "Sein gültiges Zertifikat wird widerrufen. Das lässt sich nicht rückgängig machen."
        : `Seine ${n} gültigen Zertifikate werden widerrufen. Das lässt sich nicht rückgängig machen.`,
  note: "Notiz für das Protokoll",
  noteHint: "Zum Beispiel eine Ticketnummer",
  successor: "Neuer Token",
  successorHint: (name) =>
    `Für ${name}. Stecken Sie ihn ein, scannen Sie seine Seriennummer oder geben Sie sie ein. Lassen Sie das Feld leer, um ihn später zu wählen.`,
  successorNeeded: (name) => `Für ${name}. Stecken Sie ihn ein, scannen Sie seine Seriennummer oder geben Sie sie ein.`,
  groups: { plugged: "Hier eingesteckt", theirs: "Schon zugewiesen, nicht eingerichtet", stock: "Im Bestand" },
  fits: {
    same: "Das ist der alte Token.",
    unknown: "Noch nicht registriert. Er wird registriert.",
    free: "Im Bestand.",
    theirs: "Dieser Person schon zugewiesen.",
    others: (name) => `Gehört ${name}. Nehmen Sie ihn erst zurück, oder wählen Sie einen anderen.`,
    out: (status) => `${status}. Wählen Sie einen anderen.`,
  },
  submit: {
    replace: "Ersetzen",
    lost: "Nur als verloren melden",
    lostAndAssign: "Als verloren melden und neuen zuweisen",
    retired: "Nur ausmustern",
    retiredAndAssign: "Ausmustern und neuen zuweisen",
    assign: "Neuen zuweisen",
  },
  missing: { why: "Geben Sie zuerst an, was passiert ist.", next: "Wählen Sie zuerst den neuen Token." },
  reasons: {
    lost: "Verloren",
    stolen: "Gestohlen",
    broken: "Defekt",
    by: (serial) => `Ersetzt durch ${serial}`,
    of: (serial) => `Ersatz für ${serial}`,
  },
  wasLost: (serial) => `Token ${serial} ist als verloren gemeldet, seine Zertifikate sind widerrufen.`,
  wasRetired: (serial) => `Token ${serial} ist ausgemustert, seine Zertifikate sind widerrufen.`,
  wasAssigned: (serial, name) => `Token ${serial} ist ${name} zugewiesen.`,
  wasSetUp: (serial) => `Token ${serial} ist eingerichtet.`,
  remains: "Was noch fehlt",
  chooseNext: (name) => `${name} hat noch keinen neuen Token.`,
  hasOther: (name, n, serials) =>
    `${name} hat ${n === 1 ? "den" : "die"} Token ${serials} in Gebrauch. Wählen Sie nur dann einen weiteren, wenn er gebraucht wird.`,
  setUpHere: (name) => `Richten Sie ihn jetzt ein, solange er steckt, oder geben Sie ihn ${name} zum Einrichten.`,
  setUpAway: (name) =>
    `Stecken Sie ihn in diesen Computer, um ihn einzurichten, oder geben Sie ihn ${name}: Unter „Meine Token“ lässt er sich auch dort einrichten.`,
  setUpNow: "Jetzt einrichten",
  stillInUse: (serial) => `Token ${serial} ist noch in Betrieb.`,
  done: (name) => `${name} hat einen neuen Token`,
  pinLater: (name) => `Die PIN wählt ${name} beim ersten Benutzen.`,
  openNext: "Neuen Token ansehen",
};
