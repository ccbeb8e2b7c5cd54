package outbound_test

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// nameServer starts a DNS server with some A records, and returns a resolver that uses it.
func nameServer(t *testing.T, records map[string]string) *net.Resolver {
	t.Helper()
	conn := must.Get(net.ListenPacket("udp", "127.0.0.1:0"))(t)
	t.Cleanup(func() { _ = conn.Close() })
	go func() {
		buf := make([]byte, 1500)
		for {
			n, from, err := conn.ReadFrom(buf)
			if err != nil {
				return
			}
			if answer := answerTo(buf[:n], records); answer != nil {
				_, _ = conn.WriteTo(answer, from)
			}
		}
	}()
	return &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "udp", conn.LocalAddr().String())
	}}
}

// answerTo returns a response (RFC 1035, section 4) to a query with one question.
func answerTo(query []byte, records map[string]string) []byte {
	if len(query) < 12 {
		return nil
	}
	name, at := "", 12
	for at < len(query) && query[at] != 0 {
		length := int(query[at])
		if at+1+length >= len(query) {
			return nil
		}
		name += strings.ToLower(string(query[at+1:at+1+length])) + "."
		at += 1 + length
	}
	at += 5 // the root label, type and class
	if at > len(query) {
		return nil
	}
	answer := append([]byte(nil), query[:at]...)
	flags, answers := uint16(0x8180), uint16(0)
	address, known := records[name]
	if !known {
		flags |= 3 // NXDOMAIN
	}
	if known && binary.BigEndian.Uint16(query[at-4:]) == 1 {
		answers = 1
		ip := netip.MustParseAddr(address).As4()
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4) // name of the question, A, IN, TTL 0
		answer = append(answer, ip[:]...)
	}
	binary.BigEndian.PutUint16(answer[2:], flags)
	binary.BigEndian.PutUint16(answer[4:], 1)
	binary.BigEndian.PutUint16(answer[6:], answers)
	binary.BigEndian.PutUint32(answer[8:], 0)
	return answer
}
