// What a browser calls itself, short enough for a list: "Firefox on Linux".

const browsers: readonly (readonly [RegExp, string])[] = [
  [/Edg\//, 'Edge'],
  [/Firefox\//, 'Firefox'],
  [/Chrom(e|ium)\//, 'Chrome'],
  [/Safari\//, 'Safari'],
];
const systems: readonly (readonly [RegExp, string])[] = [
  [/Android/, 'Android'],
  [/iPhone|iPad/, 'iOS'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'macOS'],
  [/Linux/, 'Linux'],
];

export function browserName(agent: string): string {
  const named = (known: typeof browsers) => known.find(([pattern]) => pattern.test(agent))?.[1];
  const system = named(systems);
  const browser = named(browsers) ?? 'Browser';
  return system === undefined ? browser : `${browser} on ${system}`;
}
