//go:build exhaustive

package year_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/license/remote"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// work is what a worker does: for each moment that it reads, it notifies people as a
// leading server does, and reports back. It sends mail all the time.
func work(url string, moments io.Reader, answers io.Writer) error {
	ctx := context.Background()
	var clock atomic.Pointer[time.Time]
	now := func() time.Time { return *clock.Load() }
	lines := bufio.NewScanner(moments)
	var sender *mail.Sender
	var tell func(context.Context) error
	for lines.Scan() {
		n, err := strconv.ParseInt(lines.Text(), 10, 64)
		if err != nil {
			return err
		}
		at := time.UnixMicro(n).UTC()
		clock.Store(&at)
		if sender == nil {
			db, err := store.OpenPostgres(ctx, store.Server{URL: secret.New(url)}, store.Options{Now: now})
			if err != nil {
				return err
			}
			if sender, tell, err = servantsOf(db, now); err != nil {
				return err
			}
			go func() { // it ends with the process
				if err := sender.Run(ctx); err != nil {
					fmt.Fprintln(os.Stderr, err)
					os.Exit(1)
				}
			}()
		}
		if err := tell(ctx); err != nil {
			return err
		}
		sender.Wake()
		if _, err := fmt.Fprintf(answers, "done %d.\n", n); err != nil {
			return err
		}
	}
	return lines.Err()
}

// servantsOf returns what notifies people, wired as in internal/app.
func servantsOf(db *store.DB, now func() time.Time) (*mail.Sender, func(context.Context) error, error) {
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	service := &mail.Service{
		Rows: db, Store: db, Transport: smtp.Transport{}, Writer: mail.Writer{SiteURL: "https://keyward.example", Zone: time.UTC}, Now: now,
	}
	sender := &mail.Sender{Service: service, Links: noLinks{}, Log: log}
	service.Wake = sender.Wake
	licenses, err := remote.New(remote.Options{
		URL: os.Getenv(workerLicenses), Token: secret.Fixed(licenseToken), Log: log,
	})
	if err != nil {
		return nil, nil, err
	}
	license := &licensepolicy.Service{Port: licenses, Store: db, Log: log, Now: now}
	began, err := time.Parse(time.RFC3339, os.Getenv(workerBegan))
	watch := &backup.Watch{Store: db, Now: now, Plan: func(context.Context) (backup.Plan, error) { return plan(began), nil }}
	reminders := &reminder.Service{Store: db, Backups: watch.Look, Now: now, Zone: time.UTC}
	return sender, func(ctx context.Context) error {
		for _, tell := range []func(context.Context) error{
			reminders.Owners, reminders.Morning, license.Poll, license.Notify, reminders.Overdue,
		} {
			if err := tell(ctx); err != nil {
				return err
			}
		}
		return nil
	}, err
}

// noLinks: nobody is invited.
type noLinks struct{}

func (noLinks) Link(context.Context, mail.Message) (secret.String, bool, error) {
	return secret.String{}, true, nil
}

// worker is a worker process controlled by the test.
type worker struct {
	w     *world
	proc  *process.Process
	input io.Writer
	told  int64 // the last moment sent to it
}

// employ starts a worker.
func (w *world) employ() *worker {
	k := &worker{w: w}
	k.begin()
	return k
}

func (k *worker) begin() {
	k.w.t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(),
		workerURL+"="+k.w.url, workerLicenses+"="+k.w.licenses, workerBegan+"="+k.w.began.Format(time.RFC3339))
	k.input = must.Get(cmd.StdinPipe())(k.w.t)
	k.proc = process.Start(k.w.t, "worker", cmd)
}

// tick sends the moment; it must be awaited.
func (k *worker) tick(at time.Time) {
	k.w.t.Helper()
	k.told = at.UnixMicro()
	must.Get(fmt.Fprintln(k.input, k.told))(k.w.t)
}

// killAfter lets the worker continue for a while, kills it and starts another, which
// gets the same moment.
func (k *worker) killAfter(d time.Duration) {
	k.w.t.Helper()
	select { // chance decides where it is then
	case <-time.After(d):
	case <-k.w.t.Context().Done():
	}
	k.proc.Kill()
	k.begin()
	k.tick(time.UnixMicro(k.told))
}

func (k *worker) await() {
	k.w.t.Helper()
	k.proc.Tells(k.w.t, &k.proc.Out, fmt.Sprintf("done %d", k.told), ".")
}
