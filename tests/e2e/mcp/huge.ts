// A server that says more than anybody can read.
import { serve } from "./lines.ts";

serve({ line: ({ megabytes }) => "x".repeat(megabytes * 1024 * 1024), text: () => "a line of words\n".repeat(20_000) });
