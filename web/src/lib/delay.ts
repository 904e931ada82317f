// A pause for "show this only if it takes longer", used with {#await}.
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
