package smtp

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"net"
	"net/textproto"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/mail"
)

// enhanced is an enhanced status code at the beginning of an answer (RFC 2034).
var enhanced = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}\b`)

// reply are the codes of a server's answer; empty when the error is none.
func reply(err error) string {
	answer, ok := errors.AsType[*textproto.Error](err)
	if !ok || answer.Code < 100 || answer.Code > 599 {
		return ""
	}
	return strings.TrimSpace(strconv.Itoa(answer.Code) + " " + enhanced.FindString(answer.Msg))
}

func code(err error) int {
	if answer, ok := errors.AsType[*textproto.Error](err); ok {
		return answer.Code
	}
	return 0
}

// refusal is what keeps every message from being sent: class, unless the error says more.
func refusal(class mail.Class, err error) *mail.Refusal {
	r := &mail.Refusal{Class: class, Reply: reply(err), Server: true, Over: true}
	if r.Reply != "" {
		return r
	}
	if noName, ok := errors.AsType[*net.DNSError](err); ok && !noName.IsTimeout {
		r.Class = mail.NameNotResolved
		return r
	}
	timedOut, isNet := errors.AsType[net.Error](err)
	_, untrusted := errors.AsType[*tls.CertificateVerificationError](err)
	_, unknown := errors.AsType[x509.UnknownAuthorityError](err)
	_, noTLS := errors.AsType[tls.RecordHeaderError](err)
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.Canceled), isNet && timedOut.Timeout():
		r.Class = mail.TimedOut
	case untrusted, unknown, noTLS:
		r.Class = mail.TLSFailed
	}
	return r
}

// lost is a connection that broke before the server had a whole message.
func lost(err error) *mail.Refusal { return refusal(mail.ConnectionLost, err) }

// ofAll tells whether an answer is about the server or the settings, whatever it answers:
// it goes away (421), or wants a sign-in or TLS (530, 534, 535, 538).
func ofAll(err error) *mail.Refusal {
	switch code(err) {
	case 0:
		return lost(err)
	case 421:
		return refusal(mail.ConnectFailed, err)
	case 530, 534, 535, 538:
		return refusal(mail.AuthFailed, err)
	}
	return nil
}

// onSender is an answer to MAIL.
func onSender(err error) *mail.Refusal {
	if r := ofAll(err); r != nil {
		return r
	}
	r := refusal(mail.SenderRefused, err)
	r.Over = false
	return r
}

// onRecipient is an answer to RCPT.
func onRecipient(err error) *mail.Refusal {
	if r := ofAll(err); r != nil {
		return r
	}
	r := &mail.Refusal{Reply: reply(err), Final: code(err) >= 500}
	switch {
	case full(err):
		r.Class = mail.MailboxFull
	case !r.Final:
		r.Class = mail.Greylisted
	case unknown(r.Reply):
		r.Class = mail.RecipientRefused
	default: // many servers say only here what they have against client or sender
		r.Class, r.Final, r.Rules = mail.SenderRefused, false, true
	}
	return r
}

// unknown tells of a mailbox that there is not: "550" without a second code, or with one of
// those that RFC 3463 has for it.
func unknown(reply string) bool {
	first, second, both := strings.Cut(reply, " ")
	if !both {
		return first == "550"
	}
	return slices.Contains([]string{"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"}, second)
}

// onMessage is an answer to DATA (before), or to the message after it. Without an answer
// to the message nobody knows whether the server has taken it.
func onMessage(err error, before bool) *mail.Refusal {
	if before || code(err) != 0 {
		if r := ofAll(err); r != nil {
			return r
		}
	}
	if code(err) == 0 {
		r := lost(err)
		r.Server = false
		return r
	}
	r := &mail.Refusal{Class: mail.MessageRefused, Reply: reply(err), Final: code(err) >= 500}
	switch {
	case full(err):
		r.Class = mail.MailboxFull
	case strings.HasSuffix(r.Reply, " 5.1.1"):
		r.Class = mail.RecipientRefused
	}
	return r
}

// full tells of a mailbox that is full: "X.2.2" (RFC 3463), or 552 without such a code.
func full(err error) bool {
	said := reply(err)
	return strings.HasSuffix(said, ".2.2") || said == "552"
}
