// A company's network between Takt and a site: a proxy that requires a password, or a TLS gateway.
//
//   node network.mjs proxy '{"user":"anna","password":"…","hosts":{"erp.test":8443}}'
//   node network.mjs gateway '{"key":"key.pem","cert":"cert.pem","clientCa":"ca.pem","host":"127.0.0.1","target":8080}'
//
// Prints one line of JSON with its port when it is ready, and then one for each request to the proxy. Ends when its
// standard input is closed, or after TIME_LIMIT seconds.
import { readFileSync } from 'node:fs';
import http from 'node:http';
import net from 'node:net';
import tls from 'node:tls';

const [kind, text] = process.argv.slice(2);
const options = JSON.parse(text);
const printLine = (line) => console.log(JSON.stringify(line));

/** Forwards in both directions until one side ends. */
function join(near, far) {
  const end = () => [near, far].forEach((socket) => socket.destroy());
  for (const socket of [near, far]) socket.on('error', end).on('close', end);
  near.pipe(far).pipe(near);
}

/** Returns the host and port of an authority. The test's host names are on this computer. */
function localTarget(authority, usual) {
  const url = new URL(`http://${authority}`);
  const port = options.hosts?.[url.hostname] ?? Number(url.port || usual);
  return { host: url.hostname in (options.hosts ?? {}) ? '127.0.0.1' : url.hostname, port };
}

function allowed(request) {
  const wanted = `Basic ${Buffer.from(`${options.user}:${options.password}`).toString('base64')}`;
  const allowed = !options.user || request.headers['proxy-authorization'] === wanted;
  printLine({ method: request.method, target: request.url, allowed });
  return allowed;
}

function proxy() {
  const refused = { 'proxy-authenticate': 'Basic realm="works"', connection: 'close' };
  const server = http.createServer((request, response) => {
    if (!allowed(request)) return response.writeHead(407, refused).end();
    const url = new URL(request.url);
    const { 'proxy-authorization': _, ...headers } = request.headers;
    const options = { ...localTarget(url.host, 80), method: request.method, path: url.pathname + url.search, headers };
    const onward = http.request(options, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
    });
    onward.on('error', () => response.writeHead(502).end());
    request.pipe(onward);
  });
  server.on('connect', (request, socket) => {
    socket.on('error', () => socket.destroy());
    if (!allowed(request)) return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nConnection: close\r\n\r\n');
    const far = net.connect(localTarget(request.url, 443), () => {
      socket.write('HTTP/1.1 200 Connection established\r\n\r\n');
      join(socket, far);
    });
    far.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\n\r\n'));
  });
  return server;
}

function gateway() {
  const { key, cert, clientCa, target } = options;
  const asked = clientCa ? { requestCert: true, rejectUnauthorized: true, ca: readFileSync(clientCa) } : {};
  const server = tls.createServer({ key: readFileSync(key), cert: readFileSync(cert), ...asked });
  server.on('secureConnection', (near) => join(near, net.connect(target, '127.0.0.1')));
  server.on('tlsClientError', () => {});
  return server;
}

const server = { proxy, gateway }[kind]();
server.listen(0, options.host ?? '127.0.0.1', () => printLine({ port: server.address().port }));
process.stdin.resume().on('end', () => process.exit(0));
setTimeout(() => process.exit(0), 1000 * Number(process.env.TIME_LIMIT ?? 600));
