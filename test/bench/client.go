package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// goClient is the name of this file's client in the table.
const goClient = "Go, own process"

// request appends the bytes of an HTTP/1.1 request to buf.
func (p *process) request(buf []byte, method, path, bearer, body string) []byte {
	buf = append(buf, method+" "+path+" HTTP/1.1\r\nHost: "+p.addr+"\r\nUser-Agent: "+userAgent+"\r\n"...)
	if bearer != "" {
		buf = append(buf, "Authorization: Bearer "+bearer+"\r\n"...)
	}
	if body != "" {
		buf = append(buf, "Content-Type: application/json\r\nContent-Length: "+strconv.Itoa(len(body))+"\r\n"...)
	}
	return append(append(buf, "\r\n"...), body...)
}

// connection is one keep-alive connection. It writes prepared requests, so that the
// client takes as little as possible from the server's cores.
type connection struct {
	net.Conn
	r   *bufio.Reader
	buf []byte
}

func (p *process) dial(ctx context.Context) (*connection, error) {
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", p.addr)
	if err != nil {
		return nil, err
	}
	return &connection{Conn: c, r: bufio.NewReaderSize(c, 64<<10)}, nil
}

// send sends c.buf and copies the response to w.
func (c *connection) send(w io.Writer) error {
	if _, err := c.Write(c.buf); err != nil {
		return err
	}
	res, err := http.ReadResponse(c.r, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode/100 != 2 {
		text, _ := io.ReadAll(res.Body)
		return fmt.Errorf("%s: %s", res.Status, text)
	}
	_, err = io.Copy(w, res.Body)
	return err
}

// do sends one request on its own connection, for preparation and single timings.
func (p *process) do(ctx context.Context, method, path, bearer, body string, w io.Writer) error {
	c, err := p.dial(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	c.buf = p.request(c.buf[:0], method, path, bearer, body)
	if err := c.send(w); err != nil {
		return fmt.Errorf("%s %s: %w", method, path, err)
	}
	return nil
}

// errEnough ends a load early: there are no more requests.
var errEnough = errors.New("no more requests")

// next appends request number i to a buffer.
type next func(buf []byte, i int64) ([]byte, error)

// load sends requests over conns connections for d. Every response must be a success.
func (p *process) load(ctx context.Context, conns int, d time.Duration, next next) (sample, error) {
	connections := make([]*connection, conns)
	for i := range connections {
		c, err := p.dial(ctx)
		if err != nil {
			return sample{}, err
		}
		defer c.Close()
		connections[i] = c
	}
	var number, answered atomic.Int64
	var group sync.WaitGroup
	failures := make(chan error, conns)
	before, began := p.cpu(), time.Now()
	for _, c := range connections {
		group.Go(func() {
			for time.Since(began) < d && ctx.Err() == nil {
				var err error
				if c.buf, err = next(c.buf[:0], number.Add(1)-1); err == nil {
					err = c.send(io.Discard)
				}
				if err != nil {
					failures <- err
					return
				}
				answered.Add(1)
			}
		})
	}
	group.Wait()
	s := sample{answered.Load(), time.Since(began), p.cpu() - before}
	close(failures)
	for err := range failures {
		if !errors.Is(err, errEnough) {
			return s, err
		}
	}
	return s, ctx.Err()
}

// latencies returns the sorted times of n sequential requests.
func (p *process) latencies(ctx context.Context, n int, method, path, bearer string) ([]time.Duration, error) {
	c, err := p.dial(ctx)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	c.buf = p.request(nil, method, path, bearer, "")
	times := make([]time.Duration, 0, n)
	for range n {
		began := time.Now()
		if err := c.send(io.Discard); err != nil {
			return nil, fmt.Errorf("%s %s: %w", method, path, err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times, nil
}

// at returns a percentile of sorted times.
func at(sorted []time.Duration, percent int) time.Duration {
	return sorted[min(len(sorted)-1, len(sorted)*percent/100)]
}
