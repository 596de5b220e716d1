// Refreshes elements with data-live.
// Every page also works without this script, but users must reload it themselves.
(() => {
  'use strict';
  const parts = document.querySelectorAll('[data-live]');

  const shown = new WeakMap();
  const show = (part, html) => {
    if (shown.get(part) === html) return;
    // Replacing a part that has the focus would lose the focus.
    if (part.contains(document.activeElement)) return;
    const template = document.createElement('template');
    template.innerHTML = html;
    // Keep open details open.
    const open = [...part.querySelectorAll('details')].map((one) => one.open);
    template.content.querySelectorAll('details').forEach((one, index) => {
      one.open = open[index] ?? one.open;
    });
    part.replaceChildren(template.content);
    shown.set(part, html);
  };

  const refresh = async (part) => {
    const response = await fetch(part.dataset.live, { headers: { 'X-Live': '1' }, redirect: 'error' });
    if (response.status === 401 || response.status === 403) location.reload();
    else if (!response.ok) throw new Error(`HTTP ${response.status}`);
    else show(part, await response.text());
  };

  const keepFresh = async (part) => {
    const every = Number(part.dataset.every || 3000);
    let pause = every;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, pause));
      if (document.hidden || !part.isConnected) continue;
      try {
        await refresh(part);
        pause = every;
        // The part has reached its final state.
        if (part.querySelector('[data-live-end]') !== null) return;
      } catch {
        pause = Math.min(pause * 2, 60_000);
      }
    }
  };
  for (const part of parts) void keepFresh(part);
})();
