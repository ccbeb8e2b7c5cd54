package storebench

type statement struct {
	kind, table string
	rows        int
	text        string
}

// statements insert the rows, in the order that references need. In their texts
// n counts from 1; organizations, users, devices, releases and now are the same
// in every row. {serial} is a certificate's serial number, 16 octets in hex.
func statements(s Size) []statement {
	return []statement{
		{"organizations", "organizations", s.Organizations, `INSERT INTO organizations
			SELECT n, 'Organization ' || n, 'organization ' || n, TRUE, '[]', now, now, '[]', '' FROM k`},
		{"users", "users", s.Users, `INSERT INTO users
			SELECT n, 'user' || n, 'user' || n, 'user' || n || '@example.org', 'user' || n || '@example.org', '', 'user',
			n % organizations + 1, TRUE, FALSE, 'local', now, now, now, NULL, NULL, FALSE, '', '{}', NULL, '', '', '', '', '' FROM k`},
		{"logins", "logins", s.Users, `INSERT INTO logins (login_key, user_id) SELECT 'user' || n, n FROM k`},
		{"emails", "logins", s.Users, `INSERT INTO logins (login_key, user_id) SELECT 'user' || n || '@example.org', n FROM k`},
		{"sessions", "sessions", s.Sessions, `INSERT INTO sessions
			SELECT n, n % users + 1, n, '', '192.0.2.1', 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36', '', '',
			now, now + 86400000000, now + 86400000000, TRUE, '', '', now, 'password', '' FROM k`},
		{"hwkeys", "hwkeys", s.Devices, `INSERT INTO hwkeys
			SELECT n, 'bench-' || {eight}, 'bench-' || {eight}, 'Label ' || n, 'label ' || n, 'YubiKey 5 NFC',
			'5.7.1', 'keychain', 'active', n % users + 1, n % organizations + 1, now, now, NULL, 1, FALSE, now, TRUE, 0, 0 FROM k`},
		{"certificates", "certificates", s.Certificates, `INSERT INTO certificates
			SELECT n, {serial}, n % devices + 1, n % users + 1,
			n % organizations + 1, '9a', {live} 'issued' ELSE 'revoked' END, now, now + 86400000000 * (n % 365),
			{live} NULL ELSE now END, {live} '' ELSE 'unspecified' END, {live} NULL ELSE now END, NULL,
			{live} 'live/' || n END, 'csr', 'CN=user' || n, 'user' || n, 'user' || n, '[]', 'CN=Keyward',
			'rsa-2048', 'key-' || n, 'user1', NULL, '', NULL, 'default' FROM k`},
		{"releases", "audit_entries", s.Releases, `INSERT INTO audit_entries
			SELECT n, now - n * 60000000, 'hwkey.secrets_released', 'success', n % users + 1, 'user' || (n % users + 1),
			'user' || (n % users + 1), n % organizations + 1, 'hwkey', {device}, {device}, 'workstation', '192.0.2.1',
			'request-' || n, 'reason ' || (n % 50), 'fields pin', '', '', NULL, NULL FROM k`},
		{"audit", "audit_entries", s.Audit, `INSERT INTO audit_entries
			SELECT n + releases, now + n, CASE n % 2 WHEN 1 THEN 'auth.' ELSE 'hwkey.' END || {letter},
			CASE n % 100 WHEN 0 THEN 'denied' ELSE 'success' END,
			n % users + 1, 'user' || (n % users + 1), 'user' || (n % users + 1), n % organizations + 1, 'hwkey',
			'bench-' || (n % 100000), 'bench-' || (n % 100000), 'workstation', '192.0.2.1', 'request-' || n,
			'', 'some details', '', '', NULL, NULL FROM k`},
	}
}

// words are abbreviations in the statements, with the same meaning on both engines.
var words = []string{
	"{eight}", "substr(CAST(100000000 + n AS TEXT), 2)", // with eight digits
	"{device}", "'bench-' || substr(CAST(100000000 + n % devices + 1 AS TEXT), 2)",
	"{live}", "CASE WHEN n % 100 <> 0 THEN",
	"{letter}", "substr('abcdefghijklmnopqrst', CAST(n % 20 + 1 AS INTEGER), 1)",
}
