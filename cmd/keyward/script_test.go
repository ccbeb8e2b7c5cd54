package main

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"database/sql"
	"encoding/json"
	"io"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	_ "modernc.org/sqlite" // to look into the database, and to change it as fate would

	"github.com/keyward/keyward/internal/agent"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/flow/carddriver"
	"github.com/keyward/keyward/test/script"
)

func TestMain(m *testing.M) { testscript.Main(m, map[string]func(){"keyward": main}) }

// TestScripts are the manual of keyward; each script has its own server, agent and
// tokens.
func TestScripts(t *testing.T) {
	t.Parallel()
	script.Run(t, map[string]script.Command{
		"server": server, "stop-server": stopServer, "agent": startAgent, "stranger": stranger, "block": block, "outside": outside,
		"api": api, "sql": execute, "nowhere": nowhere,
		"vault": remoteVault,
	})
}

// running is a script's server.
type running struct {
	cmd  *exec.Cmd
	log  chan []byte // the rest of its log, when it has ended
	seen []byte
}

var listening = regexp.MustCompile(`"listen":"([^"]+)"`)

// servers are the running ones, by script.
var servers sync.Map

// server is "server [NAME=VALUE…]": keyward serve on the folder data, until the script
// ends. $SERVER is its address; its output is in the file printed, its log in the file
// log.
func server(ts *testscript.TestScript, _ bool, settings []string) {
	cmd := exec.Command("keyward", "serve", "--data", ts.MkAbs("data"), "--listen", "127.0.0.1:0") // #nosec G204 -- ourselves
	cmd.Env = append(os.Environ(), "METRICS_LISTEN=off", "PKI_CA_KEY_TYPE=ec-p256", "ARGON2_MEMORY_MIB=19", "LOG_LEVEL=DEBUG")
	cmd.Env = append(cmd.Env, settings...)
	printed, err := os.OpenFile(ts.MkAbs("printed"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	ts.Check(err)
	cmd.Stdout = printed
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ts.Check(printed.Close())
	r := &running{cmd: cmd, log: make(chan []byte, 1)}
	servers.Store(ts, r)
	ts.Defer(func() { stopServer(ts, false, nil) })
	lines := bufio.NewReader(stderr)
	for {
		line, err := lines.ReadBytes('\n')
		r.seen = append(r.seen, line...)
		if at := listening.FindSubmatch(line); at != nil {
			ts.Setenv("SERVER", "http://"+string(at[1]))
			break
		}
		if err != nil {
			ts.Fatalf("the server did not start: %s", r.seen)
		}
	}
	go func() {
		rest, _ := io.ReadAll(lines)
		r.log <- rest
	}()
}

// stopServer stops it in an orderly way.
func stopServer(ts *testscript.TestScript, _ bool, _ []string) {
	found, ok := servers.LoadAndDelete(ts)
	if !ok {
		return
	}
	r := found.(*running)
	ts.Check(r.cmd.Process.Signal(os.Interrupt))
	all := append(r.seen, <-r.log...)
	ts.Check(r.cmd.Wait())
	ts.Check(os.WriteFile(ts.MkAbs("log"), all, 0o600))
}

// madeKeys are what virtual tokens "generate", in turn.
var madeKeys = sync.OnceValues(func() (two [2]*rsa.PrivateKey, err error) {
	for i := range two {
		if two[i], err = rsa.GenerateKey(rand.Reader, 2048); err != nil {
			return two, err
		}
	}
	return two, nil
})

// cards are the tokens of all scripts; each script has its own serials.
var cards = carddriver.New()

// startAgent is "agent SERIAL…": a workstation with new tokens in its readers.
// $AGENT is its address.
func startAgent(ts *testscript.TestScript, _ bool, args []string) { startAgentOf(ts, ours(), args) }

func startAgentOf(ts *testscript.TestScript, identity ed25519.PrivateKey, args []string) {
	keys, err := madeKeys()
	ts.Check(err)
	for _, text := range args {
		made := 0
		serial, err := strconv.ParseUint(text, 10, 32)
		ts.Check(err)
		card, err := applet.New(applet.Options{
			Serial: uint32(serial), GenerateRSA: func(int) (*rsa.PrivateKey, error) {
				made++
				return keys[made%len(keys)], nil
			},
		})
		ts.Check(err)
		cards.Add(card)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan string, 1), make(chan error, 1)
	go func() {
		done <- agent.Run(ctx, agent.Config{
			Listen: "127.0.0.1:0", Dev: true, Version: "test", Driver: cards, Identity: identity, Ready: func(a string) { ready <- a },
		})
	}()
	ts.Defer(func() {
		cancel()
		ts.Check(<-done)
	})
	ts.Setenv("AGENT", "http://"+<-ready)
}

// stranger is "stranger SERIAL…": the same tokens, from now on at $AGENT behind an
// agent that is not the person's.
func stranger(ts *testscript.TestScript, _ bool, args []string) {
	_, key, err := ed25519.GenerateKey(nil)
	ts.Check(err)
	startAgentOf(ts, key, args)
}

// ours is the identity of every agent that a script starts.
var ours = sync.OnceValue(func() ed25519.PrivateKey {
	_, key, err := ed25519.GenerateKey(nil)
	if err != nil {
		panic(err)
	}
	return key
})

// block is "block SERIAL": somebody guesses the PIN until no try is left.
func block(ts *testscript.TestScript, _ bool, args []string) {
	for range 3 {
		if err := cards.ChangePIN(context.Background(), args[0], secret.New("000000"), secret.New("000000")); err == nil {
			ts.Fatalf("the guess was right")
		}
	}
}

// outside is "outside SERIAL PIN PIN": another program changes the PIN.
func outside(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(cards.ChangePIN(context.Background(), args[0], secret.New(args[1]), secret.New(args[2])))
}

// api is "api [METHOD] PATH [JSON]": the server's response to $KEYWARD_USERNAME with
// $KEYWARD_PASSWORD.
func api(ts *testscript.TestScript, _ bool, args []string) {
	credentials, err := json.Marshal(map[string]string{"username": ts.Getenv("KEYWARD_USERNAME"), "password": ts.Getenv("KEYWARD_PASSWORD")})
	ts.Check(err)
	token := ts.Getenv("TOKEN")
	if token == "" {
		var grant struct {
			Token string `json:"access_token"`
		}
		ts.Check(json.Unmarshal(ask(ts, http.MethodPost, "/api/auth/login", "", credentials), &grant))
		token = grant.Token
		ts.Setenv("TOKEN", token)
	}
	method, body := http.MethodGet, []byte(nil)
	if len(args) == 3 {
		method, args, body = args[0], args[1:], []byte(args[2])
	}
	_, err = ts.Stdout().Write(ask(ts, method, args[0], token, body))
	ts.Check(err)
}

func ask(ts *testscript.TestScript, method, path, token string, body []byte) []byte {
	req, err := http.NewRequestWithContext(context.Background(), method, ts.Getenv("SERVER")+path, bytes.NewReader(body))
	ts.Check(err)
	req.Header.Set("Content-Type", "application/json")
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := http.DefaultClient.Do(req)
	ts.Check(err)
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	ts.Check(err)
	return answer
}

// execute is "sql STATEMENT…": in the database of the folder data.
func execute(ts *testscript.TestScript, _ bool, statements []string) {
	db, err := sql.Open("sqlite", "file:"+ts.MkAbs("data/keyward.db")+"?_pragma=busy_timeout(10000)")
	ts.Check(err)
	defer db.Close()
	for _, s := range statements {
		_, err = db.ExecContext(context.Background(), s)
		ts.Check(err)
	}
}

// nowhere is "nowhere FILE…": the first lines of these files are neither in the
// server's log nor in any file of its data. The server must have ended.
func nowhere(ts *testscript.TestScript, _ bool, files []string) {
	for _, file := range files {
		kept, _, _ := strings.Cut(ts.ReadFile(file), "\n")
		look := func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			raw, err := os.ReadFile(path)
			if strings.Contains(string(raw), kept) {
				ts.Fatalf("the secret of %s stands in the clear in %s", file, d.Name())
			}
			return err
		}
		ts.Check(filepath.WalkDir(ts.MkAbs("data"), look))
		ts.Check(filepath.WalkDir(ts.MkAbs("log"), look))
	}
}
