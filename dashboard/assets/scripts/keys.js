// Keyboard shortcuts; the list of them is in the layout (SHORTCUTS of words.ts). Every page also works without this script.
(() => {
  'use strict';
  if (document.documentElement.dataset.keys === 'off') return;
  const GO_MS = 1_500;
  const find = document.getElementById('find');
  const list = document.getElementById('keys');
  if (find === null || list === null) return;

  const isTyping = (element) =>
    element.isContentEditable || element.matches('input:not([type="checkbox"], [type="radio"]), textarea, select');
  const isShown = (element) => element.checkVisibility({ visibilityProperty: true });

  const search = () => {
    // On a phone the form is a popover.
    if (!isShown(find)) find.showPopover();
    find.querySelector('input[type="search"]').select();
  };

  const linkOf = (row) => row.querySelector('a.row') ?? row.querySelector('a');
  const rows = () =>
    [...document.querySelectorAll('main table.rows tbody tr')].filter((row) => linkOf(row) !== null && isShown(row));
  const step = (by) => {
    const all = rows();
    if (all.length === 0) return;
    const current = all.indexOf(document.activeElement.closest('tr'));
    const next = current === -1 ? (by > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, current + by));
    linkOf(all[next]).focus();
    all[next].scrollIntoView({ block: 'nearest' });
  };
  const select = () => document.activeElement.closest('main table.rows tr')?.querySelector('input[type="checkbox"]')?.click();

  let goUntil = 0;
  const go = (key) => {
    const link = [...document.querySelectorAll('.tabs a[data-key]')].find(({ dataset }) => dataset.key === key);
    if (link !== undefined) link.click();
    else if (key === 'p') location.assign('/projects');
  };

  const ACTIONS = {
    '/': search,
    '?': () => list.togglePopover(),
    j: () => step(1),
    k: () => step(-1),
    x: select,
    g: () => {
      goUntil = Date.now() + GO_MS;
    },
  };

  document.addEventListener('keydown', (event) => {
    const { key, target } = event;
    if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (isTyping(target)) {
      // Back to the page, where the other keys work. A popover returns the focus itself.
      if (key === 'Escape' && target.closest(':popover-open') === null) target.blur();
      return;
    }
    if (Date.now() < goUntil) {
      goUntil = 0;
      event.preventDefault();
      go(key);
      return;
    }
    const action = Object.hasOwn(ACTIONS, key) ? ACTIONS[key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
})();
