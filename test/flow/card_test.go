package flow_test

import (
	"slices"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// powerCut cuts a card's power at a moment of a command.
func (g *gate) powerCut(m applet.Moment, cmd applet.Command) bool {
	here, _ := g.count(moment(m)+" "+instructions[cmd.INS], slices.Contains(changing, cmd.INS))
	return here
}

// changing are the commands that write to the card or cost a try.
var changing = []byte{0x20, 0x24, 0x2C, 0x47, 0xDB, 0xFA, 0xFB, 0xFF}

func moment(m applet.Moment) string {
	return map[applet.Moment]string{applet.Before: "before", applet.Written: "midst of", applet.After: "answer of"}[m]
}

// instructions names the driver's commands (SP 800-73-4 part 2, and Yubico).
var instructions = map[byte]string{
	0xA4: "SELECT", 0x20: "VERIFY", 0x24: "CHANGE REFERENCE DATA", 0x2C: "RESET RETRY COUNTER", 0x47: "GENERATE",
	0x87: "AUTHENTICATE", 0xCB: "GET DATA", 0xDB: "PUT DATA", 0xF7: "METADATA", 0xF9: "ATTEST", 0xFA: "SET RETRIES",
	0xFB: "RESET", 0xFD: "VERSION", 0xFF: "SET MANAGEMENT KEY",
}
