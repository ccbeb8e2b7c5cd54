package issuancelog

// Gathering tells how many entries wait for the batch before theirs to be
// written.
func (l *Log) Gathering() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.next == nil {
		return 0
	}
	return len(l.next.Entries)
}
