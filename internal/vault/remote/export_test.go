package remote

import "time"

// SetPatience is how long a call may take that takes longer the more there is.
func (o *Options) SetPatience(d time.Duration) { o.patience = d }
