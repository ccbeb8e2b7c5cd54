package proxies

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// All are the proxies that deploy/ has a configuration for.
var All = []Program{Nginx, HAProxy, Caddy, Apache, Traefik}

// Nginx runs as a single process: workers would survive when their master is killed.
var Nginx = Program{
	Name: "nginx", Died: 503, Rereads: true,
	deploy: "nginx",
	files: map[string]string{"nginx.conf": `daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    include conf.d/*.conf;
}
`},
	command: []string{"nginx", "-p", "DIR", "-c", "nginx.conf", "-e", "stderr"},
	server:  "    server ADDRESS max_fails=1 fail_timeout=1s;\n",
	replaced: map[string]string{
		`    server 192\.0\.2\.11:8080 max_fails=1 fail_timeout=1s; # replace.*\n`: "BACKENDS",
		`    server 192\.0\.2\.11:8081 max_fails=1 fail_timeout=1s; # replace.*\n`: "FRONTENDS",
		`listen 443 ssl http2;`:              "listen SECURE ssl http2;",
		`    listen \[::\]:443 ssl http2;\n`: "",
		`listen 80;`:                         "listen PLAIN;",
		`    listen \[::\]:80;\n`:            "",
		`/etc/ssl/keyward\.pem`:              "DIR/cert.pem",
		`/etc/ssl/private/keyward\.key`:      "DIR/key.pem",
		`/var/log/nginx/keyward\.log`:        "DIR/access.log",
	},
}

// HAProxy logs to the system's log, here to its output.
var HAProxy = Program{
	Name: "haproxy", Died: 503, Rereads: true, Checks: true, LogsToOut: true,
	deploy:  "haproxy",
	command: []string{"haproxy", "-db", "-f", "DIR/haproxy.cfg"},
	server:  "    server NAME ADDRESS\n",
	replaced: map[string]string{
		`    server backend1 192\.0\.2\.11:8080 # replace.*\n`:  "BACKENDS",
		`    server frontend1 192\.0\.2\.11:8081 # replace.*\n`: "FRONTENDS",
		`bind :443 `:                          "bind SECURE ",
		`    bind \[::\]:443 .*\n`:            "",
		`bind :80\n`:                          "bind PLAIN\n",
		`    bind \[::\]:80 .*\n`:             "",
		`/etc/ssl/private/keyward\.pem`:       "DIR/both.pem",
		`abns@keyward-once`:                   "abns@HOST", // one for the whole machine
		`log /dev/log local0`:                 "log stdout format raw local0",
		`    user haproxy\n    group haproxy`: "",
	},
}

// Caddy listens for no commands here.
var Caddy = Program{
	Name: "caddy", Died: 503, Rereads: true, Checks: true,
	deploy:  "caddy",
	command: []string{"caddy", "run", "--config", "DIR/Caddyfile"},
	server:  " ADDRESS",
	replaced: map[string]string{
		` 192\.0\.2\.11:8080 # replace.*`: "BACKENDS",
		` 192\.0\.2\.11:8081 # replace.*`: "FRONTENDS",
		`\tauto_https disable_redirects`:  "\tadmin off\n\tdefault_bind HOST\n\thttps_port 18443\n\thttp_port 18080\n\tauto_https disable_redirects",
		`/etc/ssl/keyward\.pem`:           "DIR/cert.pem",
		`/etc/ssl/private/keyward\.key`:   "DIR/key.pem",
		`/var/log/caddy/keyward\.log`:     "DIR/access.log",
	},
}

// Apache runs as a single process, too. It sends nothing twice.
var Apache = Program{
	Name: "apache2", Died: 500, Checks: true, Cleans: true,
	deploy: "apache",
	files: map[string]string{"apache2.conf": `ServerRoot DIR
DefaultRuntimeDir DIR
PidFile DIR/apache2.pid
Listen SECURE
Listen PLAIN
ErrorLog /dev/stderr
MODULES
Include keyward.conf
`},
	command: []string{"apache2", "-X", "-d", "DIR", "-f", "apache2.conf"},
	server: "    BalancerMember http://ADDRESS retry=1 ttl=60 connectiontimeout=2 timeout=130 " +
		"hcmethod=GET hcuri=/readyz hcinterval=2 hcfails=2 ping=60\n",
	replaced: map[string]string{
		`    BalancerMember http://192\.0\.2\.11:8080 .*\n`: "BACKENDS",
		`    BalancerMember http://192\.0\.2\.11:8081 .*\n`: "FRONTENDS",
		`<VirtualHost \*:443>`:                              "<VirtualHost SECURE>",
		`<VirtualHost \*:80>`:                               "<VirtualHost PLAIN>",
		`/etc/ssl/keyward\.pem`:                             "DIR/cert.pem",
		`/etc/ssl/private/keyward\.key`:                     "DIR/key.pem",
		`/var/log/apache2/keyward\.log`:                     "DIR/access.log",
	},
}

// Traefik is the one that is not in Debian. It has no words of its own for errors.
var Traefik = Program{
	Name: "traefik", OwnWords: true, Died: 502, Rereads: true, Cleans: true, Checks: true, TakesAll: true, Tells: true,
	deploy:  "traefik",
	command: []string{"traefik", "--configFile=DIR/traefik.yaml"},
	server:  "          - url: http://ADDRESS\n",
	replaced: map[string]string{
		`          - url: http://192\.0\.2\.11:8080 # replace.*\n`: "BACKENDS",
		`          - url: http://192\.0\.2\.11:8081 # replace.*\n`: "FRONTENDS",
		`":443"`:                        "SECURE",
		`":80"`:                         "PLAIN",
		`/etc/traefik/`:                 "DIR/",
		`/etc/ssl/keyward\.pem`:         "DIR/cert.pem",
		`/etc/ssl/private/keyward\.key`: "DIR/key.pem",
		`/var/log/traefik/keyward\.log`: "DIR/access.log",
	},
}

// modules are those of Apache that Debian loads anyway, and those that its file names.
func modules(shipped map[string]string) string {
	names := strings.Fields("mpm_event authn_core authz_core authz_host alias socache_shmcb slotmem_shm proxy")
	if _, enabled, ok := strings.Cut(shipped["/keyward.conf"], "# a2enmod "); ok {
		enabled, _, _ = strings.Cut(enabled, "\n")
		names = append(names, strings.Fields(enabled)...)
	}
	var b strings.Builder
	for _, name := range names {
		b.WriteString("LoadModule " + name + "_module /usr/lib/apache2/modules/mod_" + name + ".so\n")
	}
	return b.String()
}

// CheckNginx has nginx parse a configuration and the files that it names.
func CheckNginx(t testing.TB, path string) {
	t.Helper()
	if said, err := exec.Command(find(t, "nginx"), "-t", "-p", filepath.Dir(path), "-c", path, "-e", "stderr").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
