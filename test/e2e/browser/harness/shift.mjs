/** observe notes what a page's loading is like; it runs in the page, before anything of it: addInitScript(observe). */
export function observe() {
  if (window.seen) return; // asked for twice
  const seen = { lcp: 0, shift: 0, blocked: 0, moved: [] };
  window.seen = seen;
  const on = (type, take) =>
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) take(entry);
    }).observe({ type, buffered: true });
  on("largest-contentful-paint", (e) => {
    seen.lcp = e.startTime;
  });
  on("layout-shift", (e) => {
    if (e.hadRecentInput) return;
    seen.shift += e.value;
    for (const { node, previousRect: was, currentRect: is } of e.sources) {
      const what = `${node?.nodeName} "${node?.textContent?.slice(0, 40)}"`;
      seen.moved.push(`${e.value.toFixed(3)}: ${what} from ${was.x},${was.y} to ${is.x},${is.y}`);
    }
  });
  on("longtask", (e) => {
    seen.blocked += Math.max(0, e.duration - 50);
  });
}

/** seen gives what was noted, once the last paint is on the screen and has been noted, too. */
export function seen(page) {
  return page.evaluate(async () => {
    for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    return window.seen;
  });
}
