package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/storebench"
)

// licenseSpell is how long each way is measured: the backend asks every five seconds.
const licenseSpell = 15 * time.Second

// licensing measures what requests wait beside a license service that is well, and beside
// one that is not.
func licensing(ctx context.Context, b *bench) (err error) {
	const token = "LICENSE_SERVICE_TOKEN=the-token-of-this-load-run"
	data := filepath.Join(b.temp, "license-service")
	service, err := b.spawn(ctx, nil, []string{token, "PKI_CA_KEY_TYPE=ec-p256"}, filepath.Join(b.bin, "keyward"),
		"license", "--data", data, "--listen", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, service.stop(), b.remove(data)) }()
	if err := service.await(ctx, service.listening("keyward license is ready", `"listen":"`)); err != nil {
		return err
	}
	way, err := newWay(ctx, service.addr)
	if err != nil {
		return err
	}
	defer way.close()
	f := fill{name: "license", rows: storebench.Size{Organizations: 10, Users: 100, Devices: b.size(1000, 100)}, caKey: piv.ECP256}
	return b.serving(ctx, f, []string{token, "LICENSE_SERVICE_URL=http://" + way.Addr().String()}, nil, func(w *world, p *process) error {
		requests := []struct{ name, path string }{
			{"a token", "/api/hwkey/bench-00000007"}, {"the license", "/api/admin/license"},
		}
		well := make([][]time.Duration, len(requests))
		for _, how := range []string{"well", "silent", "talking nonsense", "dead"} {
			way.take(how)
			times := make([][]time.Duration, len(requests))
			failures := make([]error, len(requests))
			over, end := context.WithTimeout(ctx, b.shorter(licenseSpell))
			var group sync.WaitGroup
			for i, r := range requests {
				group.Go(func() { times[i], failures[i] = p.until(over, "GET", r.path, w.admin, "") })
			}
			group.Wait()
			end()
			if err := errors.Join(append(failures, b.noticed(ctx, p, w.admin, how == "well"))...); err != nil {
				return err
			}
			for i, r := range requests {
				if how == "well" {
					well[i] = times[i]
				}
				with, without := at(times[i], 99), at(well[i], 99)
				b.out.durations("beside a license service that is "+how+": GET "+r.name,
					fmt.Sprintf("p50 %s, p99 %s", brief(at(times[i], 50)), brief(with)),
					fmt.Sprintf("p50 %s, p99 %s when it is well", brief(at(well[i], 50)), brief(without)),
					fmt.Sprintf("%.2f", without.Seconds()/with.Seconds()),
					aim{"p99 at most double", with <= 2*without}, goClient+", 1 connection each, 10 ms between requests")
			}
		}
		return ctx.Err()
	})
}

// noticed is an error unless the backend knows how the license service is, for which a
// trial has no time.
func (b *bench) noticed(ctx context.Context, p *process, bearer string, well bool) error {
	var text bytes.Buffer
	if err := p.do(ctx, "GET", "/api/admin/license", bearer, "", &text); err != nil || b.quick {
		return err
	}
	var is struct{ Reached bool }
	if err := json.Unmarshal(text.Bytes(), &is); err != nil {
		return err
	}
	if is.Reached != well {
		return fmt.Errorf("the license service is well: %t, and the backend says %t", well, is.Reached)
	}
	return nil
}

// shorter is a time, or a trial of it.
func (b *bench) shorter(d time.Duration) time.Duration {
	if b.quick {
		return d / 100
	}
	return d
}

// way leads to a license service, as long as that is to be well.
type way struct {
	net.Listener
	to   string
	how  atomic.Pointer[string]
	mu   sync.Mutex
	open []net.Conn
}

func newWay(ctx context.Context, to string) (*way, error) {
	ln, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	w := &way{Listener: ln, to: to}
	w.take("well")
	go w.run(ctx)
	return w, nil
}

// take ends the connections, and says what comes of the next ones.
func (w *way) take(how string) {
	w.how.Store(&how)
	if how == "dead" {
		_ = w.Close()
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, c := range w.open {
		_ = c.Close()
	}
	w.open = nil
}

func (w *way) close() { w.take("dead") }

func (w *way) run(ctx context.Context) {
	for {
		c, err := w.Accept()
		if err != nil {
			return
		}
		w.keep(c)
		switch *w.how.Load() {
		case "well":
			go w.lead(ctx, c)
		case "talking nonsense":
			_, _ = io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Length: 6\r\nConnection: close\r\n\r\n<html>")
		}
	}
}

func (w *way) keep(c net.Conn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = append(w.open, c)
}

// lead copies both ways until one end closes.
func (w *way) lead(ctx context.Context, c net.Conn) {
	defer c.Close()
	there, err := new(net.Dialer).DialContext(ctx, "tcp", w.to)
	if err != nil {
		return
	}
	defer there.Close()
	w.keep(there)
	go func() { _, _ = io.Copy(there, c); _ = there.Close() }()
	_, _ = io.Copy(c, there)
}
