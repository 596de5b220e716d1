// What the pages do beyond HTML: parts marked data-live are kept fresh, and values marked data-copy can be copied.
// Without this file every page still works; it only has to be reloaded by hand.
(() => {
  'use strict';
  const parts = document.querySelectorAll('[data-live]');

  const shown = new WeakMap();
  const show = (part, html) => {
    if (shown.get(part) === html) return;
    // A part in which somebody has the focus is left alone: it would be lost.
    if (part.contains(document.activeElement)) return;
    const template = document.createElement('template');
    template.innerHTML = html;
    // What somebody has opened stays open.
    const open = [...part.querySelectorAll('details')].map((one) => one.open);
    template.content.querySelectorAll('details').forEach((one, index) => {
      one.open = open[index] ?? one.open;
    });
    part.replaceChildren(template.content);
    shown.set(part, html);
  };

  const refresh = async (part) => {
    const answer = await fetch(part.dataset.live, { headers: { 'X-Live': '1' }, redirect: 'error' });
    if (answer.status === 401 || answer.status === 403) location.reload();
    else if (answer.ok) show(part, await answer.text());
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
        // What it waited for has come.
        if (part.querySelector('[data-live-end]') !== null) return;
      } catch {
        pause = Math.min(pause * 2, 60_000);
      }
    }
  };
  for (const part of parts) void keepFresh(part);

  for (const button of document.querySelectorAll('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
      button.textContent = 'Copied';
    });
  }

  const faults = document.getElementById('form-errors');
  if (faults) faults.focus();
})();
