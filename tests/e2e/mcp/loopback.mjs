// node --import loopback.mjs SERVER: whatever the server wants to listen on, it gets a free port of this machine
// alone, and says which: "loopback 12345".
import { Server } from "node:net";

const { listen } = Server.prototype;
Server.prototype.listen = function (...args) {
  this.once("listening", () => console.log(`loopback ${this.address().port}`));
  return listen.call(this, { port: 0, host: "127.0.0.1" }, ...args.filter((one) => typeof one === "function"));
};
