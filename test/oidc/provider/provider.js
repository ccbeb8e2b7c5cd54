// The certified OpenID provider (npm's oidc-provider) as a process of a test.
//
// It reads JSON lines from standard input. The first is its configuration:
// {client_id, client_secret, redirect_uris, post_logout_redirect_uris, port,
// claims_in_id_token, scope}. It answers "ready ISSUER". Each further line is a
// command, answered by "done":
//
//	{"account": {"sub": "…", …claims}}  who this login is, from now on
//	{"rotate": true}                    sign with a new key; the old one is gone
//
// It ends when standard input does, so it never outlives its test.
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { createInterface } from 'node:readline';
import { Provider } from 'oidc-provider';

const accounts = new Map();
const cookieKeys = [randomBytes(32).toString('hex')];

// Memory outlives a change of keys, as a real provider's database does.
const memory = new Map();

class Memory {
  constructor(model) { this.model = model; }

  key(id) { return `${this.model}:${id}`; }

  async find(id) { return memory.get(this.key(id)); }

  async findByUid(uid) { return [...memory.values()].find((v) => v.kind === this.model && v.uid === uid); }

  async findByUserCode() { return undefined; }

  async upsert(id, payload) { memory.set(this.key(id), payload); }

  async consume(id) { memory.get(this.key(id)).consumed = Math.floor(Date.now() / 1000); }

  async destroy(id) { memory.delete(this.key(id)); }

  async revokeByGrantId(grantId) {
    for (const [key, v] of memory) if (v.grantId === grantId) memory.delete(key);
  }
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256', kid: randomBytes(8).toString('hex') };
}

function make(issuer, config) {
  return new Provider(issuer, {
    adapter: Memory,
    clients: [{
      client_id: config.client_id,
      client_secret: config.client_secret,
      redirect_uris: config.redirect_uris,
      post_logout_redirect_uris: config.post_logout_redirect_uris,
      response_types: ['code'],
      grant_types: ['authorization_code'],
      scope: config.scope, // what it may ask for; everything, when absent
      require_auth_time: true, // as most providers are asked to: without it a round proves nothing
      token_endpoint_auth_method: config.auth_method ?? 'client_secret_basic',
    }],
    jwks: { keys: [signingKey()] },
    cookies: { keys: cookieKeys },
    claims: {
      openid: ['sub'],
      email: ['email', 'email_verified'],
      profile: ['name', 'preferred_username'],
      groups: ['roles', 'department', 'upn', 'sid'],
    },
    scopes: ['openid', 'email', 'profile', 'groups'],
    conformIdTokenClaims: !config.claims_in_id_token,
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true } },
    async findAccount(_ctx, id) {
      const claims = accounts.get(id);
      return claims && { accountId: id, claims: async () => claims };
    },
  });
}

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const config = JSON.parse((await lines.next()).value);

let provider;
const server = createServer((req, res) => provider.callback()(req, res));
await new Promise((resolve) => { server.listen(config.port ?? 0, '127.0.0.1', resolve); });
const issuer = `http://127.0.0.1:${server.address().port}`;
provider = make(issuer, config);
console.log(`ready ${issuer}`);

for (;;) {
  const { value, done } = await lines.next();
  if (done) process.exit(0);
  const command = JSON.parse(value);
  if (command.account) accounts.set(command.account.sub, command.account);
  if (command.rotate) provider = make(issuer, config);
  console.log('done');
}
