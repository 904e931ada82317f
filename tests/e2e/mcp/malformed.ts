// A server whose answer to a call is no JSON, no JSON-RPC, or to somebody else.
import { serve, write } from "./lines.ts";

const never = new Promise(() => {});
serve({
  half: () => { process.stdout.write('{"jsonrpc":"2.0","id":3,"resu\n'); return never; },
  other: () => { process.stdout.write('{"hello":"world"}\n'); return never; },
  wrong_type: (_, message) => { write({ id: message.id, result: "just a text" }); return never; },
  stranger: () => { write({ id: 4711, result: {} }); write({ id: "x", result: {} }); return "fine"; },
});
