// A server that ends before it has said a word.
console.error("fatal: no configuration");
process.exit(1);
