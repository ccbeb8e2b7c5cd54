package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/keyward/keyward/test/vaultserver"
)

// vaultAlone is the raw limit of signing on Vault: the same Vault, mount and
// role, asked for the same certificates with a token like the server's, over as
// many connections, without Keyward.
func (e *engines) vaultAlone(ctx context.Context, server *vaultserver.Server, bodies []string, users int) (*process, next, error) {
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM(server.CACert) {
		return nil, nil, errors.New("no CA of the vault's")
	}
	p := &process{
		pid: server.PID(), addr: strings.TrimPrefix(server.Address, "https://"),
		tls: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
	}
	token, err := e.login(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	header := "POST /v1/" + e.options.Mounts.PKI + "/sign/" + e.options.Mounts.Role + " HTTP/1.1\r\nHost: " + p.addr +
		"\r\nX-Vault-Token: " + token + "\r\nX-Vault-Request: true\r\nContent-Type: application/json\r\nContent-Length: "
	return p, func(_ *process, buf []byte, i int64) ([]byte, error) {
		n := int(i) % len(bodies)
		name := "user" + strconv.Itoa((n+1)%users+1)
		body := fmt.Sprintf(`{"csr":%s,"common_name":"%s","alt_names":"%s@example.org","exclude_cn_from_sans":true}`, bodies[n], name, name)
		return append(buf, header+strconv.Itoa(len(body))+"\r\n\r\n"+body...), nil
	}, nil
}

// login gives a token of the servers' AppRole.
func (e *engines) login(ctx context.Context, p *process) (string, error) {
	role, err := e.options.RoleID()
	if err != nil {
		return "", err
	}
	id, err := e.options.SecretID()
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(map[string]string{"role_id": role.Reveal(), "secret_id": id.Reveal()})
	if err != nil {
		return "", err
	}
	var answer bytes.Buffer
	if err := p.do(ctx, "POST", "/v1/auth/approle/login", "", string(body), &answer); err != nil {
		return "", err
	}
	var said struct {
		Auth struct {
			Token string `json:"client_token"`
		} `json:"auth"`
	}
	err = json.Unmarshal(answer.Bytes(), &said)
	return said.Auth.Token, err
}
