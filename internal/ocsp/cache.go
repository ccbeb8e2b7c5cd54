package ocsp

import "sync"

// cacheSize is how many answers each of the cache's two halves holds: with an RSA signer an answer
// is 1.7 kB, so that both take 60 MB at most.
const cacheSize = 16_000

// cache holds answers by CertID. Those that nobody asked for while the newer half filled are dropped
// with the older one.
type cache struct {
	mu           sync.RWMutex
	newer, older map[string]*Answer
	cleared      int
}

func (c *cache) get(id string) *Answer {
	c.mu.RLock()
	a, found := c.newer[id]
	if !found {
		a = c.older[id]
	}
	cleared := c.cleared
	c.mu.RUnlock()
	if !found && a != nil {
		c.put(id, a, cleared)
	}
	return a
}

// generation is what put needs to know that the cache was not cleared meanwhile.
func (c *cache) generation() int {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return c.cleared
}

func (c *cache) put(id string, a *Answer, generation int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cleared != generation {
		return
	}
	if c.newer == nil || len(c.newer) >= cacheSize {
		c.newer, c.older = map[string]*Answer{}, c.newer
	}
	c.newer[id] = a
}

func (c *cache) empty() bool {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return len(c.newer) == 0 // older is only filled once newer is
}

func (c *cache) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cleared++
	c.newer, c.older = nil, nil
}
