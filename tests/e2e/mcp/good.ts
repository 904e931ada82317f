// A server that does what it should, and says who it is.
import { serve } from "./lines.ts";

serve({
  pid: () => process.pid,
  environment: () => JSON.stringify(Object.keys(process.env).sort()),
  variable: ({ name }) => process.env[name],
  folder: () => process.cwd(),
  count: ({ text }) => text.length,
});
