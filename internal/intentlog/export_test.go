package intentlog

// Waiting returns how many entries wait for the batch before theirs to be written.
func (l *Issuances) Waiting() int {
	l.batches.mu.Lock()
	defer l.batches.mu.Unlock()
	if q := l.batches.queues[""]; q != nil && q.next != nil {
		return len(q.next.items)
	}
	return 0
}
