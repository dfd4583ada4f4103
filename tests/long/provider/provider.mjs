// A strict foreign identity provider and a small service behind it.
//
//   node provider.mjs REDIRECT_URI...
//
// Prints one line of JSON when it is ready. Requires PKCE and rotates refresh tokens. A reused one ends the whole
// sign-in. A redirect address must equal a given one byte for byte, although the package would accept any port of a
// loopback address. Tokens live TOKEN_LIFETIME seconds. Ends when its standard input is closed, or after TIME_LIMIT
// seconds.
import { createServer } from 'node:http';
import { Provider } from 'oidc-provider';

const redirects = process.argv.slice(2);
const lifetime = Number(process.env.TOKEN_LIFETIME ?? 3600);
const [client_id, client_secret] = ['takt', 'a-secret-of-the-test'];
/** Every request to the token endpoint: its grant, its redirect address and the status of the response. */
const asked = [];
/** The Date header's clock skew in milliseconds, and the statuses with which the next token requests fail. */
const wanted = { skew: 0, failures: [] };

const server = createServer();
await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
const issuer = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(issuer, {
  clients: [
    {
      client_id,
      client_secret,
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      redirect_uris: redirects,
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  routes: { authorization: '/connect/authorize', token: '/connect/token' },
  scopes: ['service-portal-api', 'service-api', 'offline_access'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  issueRefreshToken: (_context, client) => client.grantTypeAllowed('refresh_token'),
  ttl: { AccessToken: lifetime, RefreshToken: 86400, Grant: 86400, Interaction: 3600, Session: 86400 },
  cookies: { keys: ['only for a test'] },
});
const answer = provider.callback();

function json(response, status, body) {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

/** The service: one list, which requires a valid token. */
async function serve(request, response) {
  const [, text] = (request.headers.authorization ?? '').split(' ');
  const token = text && (await provider.AccessToken.find(text));
  if (!token?.isValid) return json(response, 401, { errors: ['The access token is not valid.'] });
  json(response, 200, { data: [] });
}

function body(request) {
  return new Promise((whole) => {
    const parts = [];
    request.on('data', (part) => parts.push(part)).on('end', () => whole(Buffer.concat(parts).toString()));
  });
}

async function exchange(request, response) {
  // The package accepts a body that was already read, but logs that on every request.
  request.body = Object.fromEntries(new URLSearchParams(await body(request)));
  const entry = { grant: request.body.grant_type, redirect: request.body.redirect_uri ?? null, status: null };
  asked.push(entry);
  response.on('close', () => (entry.status = response.statusCode));
  const failure = wanted.failures.shift();
  if (failure === 0) return request.socket.destroy();
  if (failure) return json(response, failure, { error: 'temporarily_unavailable' });
  answer(request, response);
}

server.on('request', async (request, response) => {
  const url = new URL(request.url, issuer);
  if (wanted.skew) response.setHeader('date', new Date(Date.now() + wanted.skew).toUTCString());
  if (url.pathname === '/asked') return json(response, 200, asked);
  if (url.pathname === '/want') {
    Object.assign(wanted, JSON.parse(await body(request)));
    return json(response, 200, wanted);
  }
  if (url.pathname.startsWith('/api/')) return serve(request, response);
  if (url.pathname === '/connect/token') return exchange(request, response);
  const redirect = url.searchParams.get('redirect_uri');
  if (url.pathname === '/connect/authorize' && redirect && !redirects.includes(redirect)) {
    return json(response, 400, { error: 'invalid_redirect_uri' });
  }
  answer(request, response);
});

console.log(JSON.stringify({ auth_url: issuer, base_url: issuer, client_id, client_secret }));
process.stdin.resume().on('end', () => process.exit(0));
setTimeout(() => process.exit(0), 1000 * Number(process.env.TIME_LIMIT ?? 600));
