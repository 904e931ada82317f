// A server that talks all the time on its error stream, and now and then on its output, too.
import { serve } from "./lines.ts";

console.log("Noisy MCP server, version 1");
console.log("");
for (let i = 0; i < 2_000; ++i) console.error(`[debug] line ${i} of a long log, with some words to fill it`);
serve({ work: () => { console.log("working..."); console.error("x".repeat(100_000)); return "worked"; } });
