package app

import (
	"fmt"
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/audit/siem"
	"github.com/keyward/keyward/internal/config"
)

// tailEvery is how often the audit log is read for a SIEM.
const tailEvery = time.Second

// tails returns the followers of the audit log for SIEMs. It fails when
// AUDIT_SYSLOG_CA_FILE is unusable; a receiver that is down is waited for.
func tails(cfg config.Config, store siem.Store, log *slog.Logger, now func() time.Time) (list []*siem.Tail, err error) {
	if cfg.AuditFile != "" {
		list = append(list, &siem.Tail{Name: "file", Store: store, Sink: &siem.File{Path: cfg.AuditFile}, Log: log, Now: now})
	}
	if cfg.AuditSyslog != "" {
		sink, err := siem.NewSyslog(cfg.AuditSyslog, cfg.AuditSyslogCAFile)
		if err != nil {
			return nil, fmt.Errorf("AUDIT_SYSLOG, AUDIT_SYSLOG_CA_FILE: %w", err)
		}
		list = append(list, &siem.Tail{Name: "syslog", Store: store, Sink: sink, Log: log, Now: now})
	}
	return list, nil
}

// withTails adds the tails to the leader's loops, and runs them once more at the end,
// after the last entry was written.
func (l loops) withTails(list []*siem.Tail) loops {
	for _, t := range list {
		name := "audit log to " + t.Name
		l.lead.list = append(l.lead.list, loop{name, tailEvery, t.Run})
		l.lead.last = append(l.lead.last, loop{name, tailEvery, t.Last})
		l.begin = append(l.begin, t.Begin)
	}
	return l
}
