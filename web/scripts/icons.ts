// Draws the icons of the installed app from public/favicon.svg, with the browser the tests use. The pictures are kept
// in public; run this again when the mark changes.
//
//   node scripts/icons.ts
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const folder = join(import.meta.dirname, '../public');
const mark = readFileSync(join(folder, 'favicon.svg'), 'utf8');
const ground = '#171a2b';

interface Icon {
  readonly file: string;
  readonly size: number;
  /** Systems cut their own shape out of these: the mark keeps to the inner 80 %, the ground reaches the edge. */
  readonly isCut: boolean;
}

const icons: readonly Icon[] = [
  { file: 'icon-192.png', size: 192, isCut: false },
  { file: 'icon-512.png', size: 512, isCut: false },
  { file: 'icon-maskable-512.png', size: 512, isCut: true },
  { file: 'apple-touch-icon.png', size: 180, isCut: true },
];

const browser = await chromium.launch({
  executablePath: process.env['CHROMIUM_BIN'] ?? '/usr/bin/chromium',
  chromiumSandbox: process.getuid?.() !== 0,
});
const page = await browser.newPage();
for (const { file, size, isCut } of icons) {
  const side = isCut ? size * 0.76 : size;
  await page.setViewportSize({ width: size, height: size });
  await page.setContent(
    `<body style="margin:0;display:grid;place-items:center;height:100vh;background:${isCut ? ground : 'transparent'}">
      <div style="width:${side}px;height:${side}px">${mark}</div></body>`,
  );
  await page.screenshot({ path: join(folder, file), omitBackground: !isCut });
}
await browser.close();
