// node client.mjs URL KEY CALLS: lists and calls all tools by the official TypeScript clients, in each version they speak.
// CALLS: JSON, arguments by tool. One JSON line per client and version; the clients validate structured content.
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport as OldTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const [url, key, calls] = process.argv.slice(2);
const info = { name: "solflis-test", version: "1" };
const handshake = ["2025-11-25", "2025-06-18", "2025-03-26"];
// Each client has an address of its own: limits count by address.
let clients = 0;
const options = () => ({
  requestInit: { headers: { "X-API-Key": key, "X-Forwarded-For": `198.51.100.${++clients}` } },
});

// The older client always offers its newest version: the offer is changed on its way.
function older(version) {
  const client = new OldClient(info, { capabilities: {} });
  const transport = new OldTransport(new URL(url), options());
  const send = transport.send.bind(transport);
  transport.send = (message, more) =>
    send(
      message.method === "initialize"
        ? { ...message, params: { ...message.params, protocolVersion: version } }
        : message,
      more,
    );
  return { client, transport, negotiated: () => transport.protocolVersion };
}

function newer(more) {
  const client = new Client(info, { capabilities: {}, ...more });
  const transport = new StreamableHTTPClientTransport(new URL(url), options());
  return { client, transport, negotiated: () => client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion };
}

const runs = [
  ...handshake.map((version) => ["sdk", version, () => older(version)]),
  ...handshake.map((version) => [
    "client",
    version,
    () => newer({ supportedProtocolVersions: [version], versionNegotiation: { mode: "legacy" } }),
  ]),
  ["client", "2026-07-28", () => newer({ versionNegotiation: { mode: { pin: "2026-07-28" } } })],
  ["client", "auto", () => newer({ versionNegotiation: { mode: "auto" } })],
];

for (const [sdk, asked, make] of runs) {
  const { client, transport, negotiated } = make();
  await client.connect(transport);
  const { tools } = await client.listTools();
  const results = {};
  for (const { name } of tools) {
    const result = await client.callTool({ name, arguments: JSON.parse(calls)[name] });
    if (result.isError) throw new Error(`${name}: ${result.content[0].text}`);
    results[name] = result.structuredContent !== undefined;
  }
  console.log(JSON.stringify({ sdk, asked, negotiated: negotiated(), results }));
  await client.close();
}
