// A server that dies in the middle of a call, with a word about it.
import { serve } from "./lines.ts";

serve({
  crash: () => { console.error("fatal: the disk is on fire"); process.exit(3); },
  kill: () => { process.kill(process.pid, "SIGKILL"); },
  fine: () => "still here",
});
