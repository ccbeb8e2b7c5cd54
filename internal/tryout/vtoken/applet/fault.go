package applet

// Moment is the point of a command at which the [FaultFunc] is called.
type Moment int

const (
	// Before the command: cutting the power loses it.
	Before Moment = iota
	// Written, after each change reached the state file: cutting the power leaves what
	// was written so far and loses the rest of the command.
	Written
	// After the command took full effect: cutting the power loses only the response.
	// The command happened, but the client sees a failure.
	After
)

// FaultFunc lets a test cut the power. It is called at each Moment of each command (of
// the last part of a chained one); true cuts the power. [Card.Transmit] then returns
// nil until [Card.PowerOn]. It runs with the card's lock held and must not call the
// card.
type FaultFunc func(at Moment, cmd Command) bool

// SetFault replaces the hook; nil removes it.
func (c *Card) SetFault(hook FaultFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault = hook
}

// cut calls the hook, and cuts the power if it says so.
func (c *Card) cut(at Moment) bool {
	if c.fault == nil || !c.fault(at, c.current) {
		return false
	}
	c.powered = false
	c.session = session{}
	return true
}
