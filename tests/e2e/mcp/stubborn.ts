// A server that hears neither the end of its input nor a polite signal.
import { serve } from "./lines.ts";

const { exit } = process;
process.exit = (() => {}) as typeof exit;
process.on("SIGTERM", () => {});
setInterval(() => {}, 1_000);
serve({ pid: () => process.pid });
