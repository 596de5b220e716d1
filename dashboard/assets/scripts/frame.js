// Copy buttons and the focus of form errors. Every page also works without this script.
(() => {
  'use strict';

  // For the page, and again for each part that live.js replaces.
  const prepare = (root) => {
    for (const button of root.querySelectorAll('button[data-copy]')) button.hidden = false;
  };
  prepare(document);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element) prepare(node.parentElement ?? node);
  }).observe(document.getElementById('main'), { childList: true, subtree: true });

  document.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]');
    if (button === null) return;
    await navigator.clipboard.writeText(document.getElementById(button.dataset.copy).textContent);
    button.textContent = 'Copied';
  });

  document.getElementById('form-errors')?.focus();
})();
