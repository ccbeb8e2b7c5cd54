package applet

import "bytes"

// application says which applet is selected.
type application int

const (
	appNone application = iota
	appPIV
	appManagement
)

var (
	aidPIV        = []byte{0xA0, 0x00, 0x00, 0x03, 0x08, 0x00, 0x00, 0x10, 0x00, 0x01, 0x00}
	aidManagement = []byte{0xA0, 0x00, 0x00, 0x05, 0x27, 0x47, 0x11, 0x17}
)

// minAID is the length of the registered identifier: a shorter one selects no
// application.
const minAID = 5

// Transmit answers one command APDU with data, if any, and a status word. It returns
// nil when the card has no power. It never panics.
func (c *Card) Transmit(apdu []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.powered {
		return nil
	}
	cmd, status := parse(apdu)
	if status == OK {
		status = checkClass(cmd.CLA)
	}
	if status != OK {
		c.session.chain = nil
		return answer(nil, status)
	}
	whole, done, status := c.chained(cmd)
	if !done {
		return answer(nil, status)
	}
	return c.execute(whole)
}

// execute runs a complete command between the two calls of the fault hook.
func (c *Card) execute(cmd Command) []byte {
	c.current = cmd
	if c.cut(Before) {
		return nil
	}
	data, status := c.dispatch(cmd)
	if status == powerCut || c.cut(After) {
		return nil
	}
	return c.respond(cmd, data, status)
}

// checkClass refuses logical channels, secure messaging and foreign classes.
func checkClass(cla byte) Status {
	switch cla &^ chainingBit {
	case 0x00:
		return OK
	case secureMessaging:
		return NoSecureMessaging
	case 0x01, 0x02, 0x03:
		return NoLogicalChannel
	}
	return UnknownClass
}

// chained reassembles command chaining (ISO 7816-4, 5.1.1.1). A command that does not
// continue the chain starts anew, as after a client that gave up.
func (c *Card) chained(cmd Command) (whole Command, done bool, status Status) {
	s := &c.session
	if s.chain != nil && (s.chain.INS != cmd.INS || s.chain.P1 != cmd.P1 || s.chain.P2 != cmd.P2) {
		s.chain = nil
	}
	last := cmd.CLA&chainingBit == 0
	if last && s.chain == nil {
		return cmd, true, OK
	}
	if s.chain == nil {
		s.chain = &Command{INS: cmd.INS, P1: cmd.P1, P2: cmd.P2}
	}
	s.chain.Data = append(s.chain.Data, cmd.Data...)
	if len(s.chain.Data) > maxCommand {
		s.chain = nil
		return Command{}, false, WrongLength
	}
	if !last {
		return Command{}, false, OK
	}
	whole = *s.chain
	whole.limit, s.chain = cmd.limit, nil
	return whole, true, OK
}

// respond truncates a response that is longer than the client accepts: the rest waits
// for GET RESPONSE.
func (c *Card) respond(cmd Command, data []byte, status Status) []byte {
	c.session.rest = nil
	if len(data) <= cmd.limit {
		return answer(bytes.Clone(data), status)
	}
	c.session.rest = data[cmd.limit:]
	more := len(c.session.rest)
	if more > 255 {
		more = 0 // 6100: 256 bytes or more
	}
	return answer(bytes.Clone(data[:cmd.limit]), MoreData|Status(more))
}

func (c *Card) dispatch(cmd Command) ([]byte, Status) {
	switch {
	case cmd.INS == insSelect:
		return c.selectApplication(cmd)
	case cmd.INS == insGetResponse:
		return c.getResponse()
	case c.session.application == appPIV:
		return c.dispatchPIV(cmd)
	case c.session.application == appManagement && cmd.INS == insReadConfig:
		return c.readConfig(cmd)
	}
	return nil, UnknownInstruction
}

func (c *Card) dispatchPIV(cmd Command) ([]byte, Status) {
	switch cmd.INS {
	case insVerify:
		return nil, c.verify(cmd)
	case insChange:
		return nil, c.changeReference(cmd)
	case insResetRetry:
		return nil, c.resetRetryCounter(cmd)
	case insGetData:
		return c.getData(cmd)
	case insPutData:
		return nil, c.putData(cmd)
	case insGenerate:
		return c.generate(cmd)
	case insAuthenticate:
		return c.authenticate(cmd)
	}
	return c.dispatchYubico(cmd)
}

func (c *Card) getResponse() ([]byte, Status) {
	if c.session.rest == nil {
		return nil, ConditionsNotMet
	}
	return c.session.rest, OK
}

// selectApplication accepts full or right-truncated identifiers. Selecting the current
// application again keeps its security status (SP 800-73-4, 3.1.1); an unknown one
// changes nothing.
func (c *Card) selectApplication(cmd Command) ([]byte, Status) {
	if cmd.P1 != 0x04 || cmd.P2 != 0 {
		return nil, WrongParameters
	}
	if len(cmd.Data) < minAID {
		return nil, NotFound
	}
	switch {
	case bytes.HasPrefix(aidPIV, cmd.Data):
		c.enter(appPIV)
		return applicationProperties(), OK
	case bytes.HasPrefix(aidManagement, cmd.Data):
		c.enter(appManagement)
		return []byte("Keyward virtual token - FW version " + c.state.Firmware.String()), OK
	}
	return nil, NotFound
}

func (c *Card) enter(app application) {
	if c.session.application != app {
		c.session = session{application: app}
	}
}

// applicationProperties is the response to SELECT (SP 800-73-4, table 3).
func applicationProperties() []byte {
	authority := object(0x79, object(0x4F, aidPIV[:minAID]))
	return object(0x61, append(object(0x4F, aidPIV[minAID:]), authority...))
}
