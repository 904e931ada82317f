// Runs before the first paint so that a remembered theme never flashes. External because the CSP allows no
// inline script, and not a module because modules run after the paint. The rest is in src/lib/theme.ts.
try {
  var theme = localStorage.getItem('rouse-theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch (e) {
  // Storage is blocked: the page follows the system.
}
