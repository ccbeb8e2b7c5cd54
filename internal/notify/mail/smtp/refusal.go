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

	"github.com/keyward/keyward/internal/notify/mail"
)

// enhanced is an enhanced status code at the start of an answer (RFC 2034).
var enhanced = regexp.MustCompile(`^[245]\.\d{1,3}\.\d{1,3}\b`)

// reply returns the codes of a server's answer; empty when err is none.
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

// refusal returns the refusal of every message: with class, unless the error is more specific.
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

// lost is for a connection that broke before the server had the whole message.
func lost(err error) *mail.Refusal { return refusal(mail.ConnectionLost, err) }

// Words that disambiguate an ambiguous code. They are kept nowhere.
var (
	ofName  = regexp.MustCompile(`(?i)\b(helo|ehlo)\b`)
	ofTLS   = regexp.MustCompile(`(?i)\b(starttls|tls|ssl)\b|encrypt`)
	ofSize  = regexp.MustCompile(`(?i)\bsize\b|too (large|big|long)`)
	ofQuota = regexp.MustCompile(`(?i)mailbox|quota|full`)
)

// address matches what a server echoes: addresses and host names, which anyone may choose.
var address = regexp.MustCompile(`<[^>]*>|\S*@\S*|\S+\.\S+`)

// says reports whether the server's own words match.
func says(err error, words *regexp.Regexp) bool {
	answer, ok := errors.AsType[*textproto.Error](err)
	return ok && words.MatchString(address.ReplaceAllString(answer.Msg, " "))
}

// temporary reports whether the server asks to try again later.
func temporary(err error) bool { return code(err)/100 == 4 }

// name reports a refusal of the name in EHLO, which many servers send only later. 503
// means that there was none.
func name(err error) bool { return says(err, ofName) && code(err) != 503 }

// ofAll returns a refusal if the answer, to whatever command, concerns the server or the
// settings: it closes (421), or demands another name in EHLO, TLS or a sign-in (523 to
// 538).
func ofAll(err error) *mail.Refusal {
	switch c := code(err); {
	case c == 0:
		return lost(err)
	case name(err):
		return refusal(mail.HeloRefused, err)
	case c == 421:
		return refusal(mail.Unavailable, err)
	case c == 523, c == 538, c == 530 && says(err, ofTLS): // RFC 5248, RFC 4954, RFC 3207
		return refusal(mail.TLSRequired, err)
	case c == 530:
		return refusal(mail.AuthRequired, err)
	case c == 534, c == 535:
		return refusal(mail.AuthFailed, err)
	}
	return nil
}

// onHello interprets an answer to the connection itself, or to EHLO (named).
func onHello(err error, named bool) *mail.Refusal {
	switch c := code(err); {
	case c == 0:
		return refusal(mail.ConnectFailed, err)
	case name(err), named && (c == 501 || c == 504):
		return refusal(mail.HeloRefused, err)
	case temporary(err):
		return refusal(mail.Unavailable, err)
	default:
		return refusal(mail.SenderRefused, err)
	}
}

// onStartTLS interprets a failure to start TLS.
func onStartTLS(err error) *mail.Refusal {
	switch {
	case temporary(err):
		return refusal(mail.Unavailable, err)
	case reply(err) != "":
		return refusal(mail.TLSRefused, err)
	default:
		return refusal(mail.TLSFailed, err)
	}
}

// onSignIn interprets an answer to AUTH; class is for wrong credentials.
func onSignIn(err error, class mail.Class) *mail.Refusal {
	switch c := code(err); {
	case temporary(err):
		return refusal(mail.Unavailable, err)
	case c == 523, c == 530, c == 538:
		return ofAll(err)
	}
	return refusal(class, err)
}

// onSender interprets an answer to MAIL.
func onSender(err error) *mail.Refusal {
	if r := ofAll(err); r != nil {
		return r
	}
	_, second, _ := strings.Cut(reply(err), " ")
	switch {
	case tooLarge(err, false):
		return &mail.Refusal{Class: mail.TooLarge, Reply: reply(err), Final: !temporary(err)}
	case temporary(err) && !strings.HasPrefix(second, "4.1."):
		return refusal(mail.Unavailable, err)
	}
	r := refusal(mail.SenderRefused, err)
	r.Over = false
	return r
}

// onRecipient interprets an answer to RCPT.
func onRecipient(err error) *mail.Refusal {
	if r := ofAll(err); r != nil {
		return r
	}
	r := &mail.Refusal{Reply: reply(err), Final: code(err) >= 500}
	switch {
	case tooLarge(err, false):
		r.Class = mail.TooLarge
	case full(err):
		r.Class = mail.MailboxFull
	case code(err) != 451 && strings.Contains(r.Reply, " 4.3."):
		r.Class = mail.Unavailable
	case code(err) == 454: // "Relay access denied", Postfix's default
		r.Class, r.Rules = mail.SenderRefused, true
	case !r.Final:
		r.Class = mail.Greylisted
	case unknown(r.Reply):
		r.Class = mail.RecipientRefused
	default: // many servers object to client or sender only here
		r.Class, r.Final, r.Rules = mail.SenderRefused, false, true
	}
	return r
}

// unknown reports a mailbox that does not exist: "550" without a second code, or with one
// of RFC 3463 for that.
func unknown(reply string) bool {
	first, second, both := strings.Cut(reply, " ")
	if !both {
		return first == "550"
	}
	return slices.Contains([]string{"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.2.1"}, second)
}

// onMessage interprets an answer to DATA (before), or to the message after it. Without
// an answer to the message, it is unknown whether the server took it.
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
	case tooLarge(err, true):
		r.Class = mail.TooLarge
	case full(err):
		r.Class = mail.MailboxFull
	case strings.HasSuffix(r.Reply, " 5.1.1"):
		r.Class = mail.RecipientRefused
	case code(err) != 451 && strings.Contains(r.Reply, " 4.3."): // the mail system (RFC 3463): full, or temporarily unable
		r.Class = mail.Unavailable
	case !r.Final: // as many spam filters greylist
		r.Class = mail.Greylisted
	}
	return r
}

// full reports a full mailbox: "X.2.2" (RFC 3463), or 552 without such a code.
func full(err error) bool {
	said := reply(err)
	return strings.HasSuffix(said, ".2.2") || said == "552"
}

// tooLarge reports a message beyond a limit of the server or the mailbox: "X.3.4" or "X.2.3"
// (RFC 3463), or 552 with matching words and no such code. After the whole message, 552 means
// its size unless the words are about the mailbox.
func tooLarge(err error, whole bool) bool {
	_, second, both := strings.Cut(reply(err), " ")
	if both {
		return strings.HasSuffix(second, ".3.4") || strings.HasSuffix(second, ".2.3")
	}
	return code(err) == 552 && (says(err, ofSize) || whole && !says(err, ofQuota))
}
