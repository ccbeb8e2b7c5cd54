package pki

import (
	"context"
	"time"
)

// Status describes the cache (specification, "CRL cache status").
type Status struct {
	Cached    bool       `json:"cached"`
	SizeBytes int        `json:"size_bytes"`
	Age       string     `json:"age" doc:"duration since the last fetch"`
	ExpiresIn string     `json:"expires_in" doc:"duration until the next fetch is due"`
	FetchedAt *time.Time `json:"fetched_at" nullable:"true"`
	CacheTTL  string     `json:"cache_ttl" doc:"duration"`
	StaleTTL  string     `json:"stale_ttl" doc:"duration"`
	IsStale   bool       `json:"is_stale"`
}

// Status describes the cached list that CRL returns; it never fetches.
func (c *CRLCache) Status() Status {
	st := Status{Age: "0s", ExpiresIn: "0s", CacheTTL: CacheTTL.String(), StaleTTL: StaleTTL.String()}
	now := c.Now()
	list := c.mainList()
	if list == nil || !list.usable(now) {
		return st
	}
	at := list.FetchedAt.UTC()
	st.Cached, st.SizeBytes, st.FetchedAt = true, len(list.DER), &at
	st.Age = list.Age(now).String()
	if st.IsStale = !list.fresh(now); !st.IsStale {
		st.ExpiresIn = (CacheTTL - now.Sub(list.FetchedAt)).Truncate(time.Second).String()
	}
	return st
}

// mainList returns the list that CRL returns, if it is cached.
func (c *CRLCache) mainList() *SignedCRL {
	if c.known.Load() == nil && c.lent.Load() == nil {
		return nil
	}
	ca, err := c.main(context.Background()) // which it knows
	if err != nil {
		return nil
	}
	return c.list(ca.ID).crl.Load()
}
