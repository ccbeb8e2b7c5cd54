package remote

import "time"

// SetPatience sets the timeout of calls that grow with the data.
func (o *Options) SetPatience(d time.Duration) { o.patience = d }
