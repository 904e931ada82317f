// A server that never answers one of its tools, and remembers who was told not to wait for it.
import { serve } from "./lines.ts";

const cancelled: number[] = [];
serve(
  { forever: () => new Promise(() => {}), cancelled: () => JSON.stringify(cancelled) },
  (message) => { if (message.method === "notifications/cancelled") cancelled.push(message.params.requestId); },
);
