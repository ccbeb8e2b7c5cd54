package applet

// Moment says where a command stands when the [FaultFunc] is asked.
type Moment int

const (
	// Before the command: cutting the power loses it.
	Before Moment = iota
	// Written, after each change reached the state file: cutting the power
	// leaves what was written so far and loses the rest of the command.
	Written
	// After the command took full effect: cutting the power loses the answer
	// only. It happened, but the client is told that it failed.
	After
)

// FaultFunc is a test's hand on the power switch. It is asked at each Moment
// of each command (of the last part of a chained one); true cuts the power.
// [Card.Transmit] then returns nil, and nil ever after until [Card.PowerOn].
// It runs inside the card's lock and must not call the card.
type FaultFunc func(at Moment, cmd Command) bool

// SetFault replaces the hook; nil removes it.
func (c *Card) SetFault(hook FaultFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = hook
}

// cut asks the hook, and takes the power away when it says so.
func (c *Card) cut(at Moment) bool {
	if c.fault == nil || !c.fault(at, c.current) {
		return false
	}
	c.powered = false
	c.session = session{}
	return true
}
