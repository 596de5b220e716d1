// Selects all jobs of the list at once, and says how many are selected. Without this script, users select each of them.
(() => {
  'use strict';
  const button = document.getElementById('select-all');
  if (button === null) return;
  const selected = document.getElementById('selected');
  const boxes = () => [...document.querySelectorAll('.jobs input[name="job"]')];

  const report = () => {
    const all = boxes();
    const count = all.filter(({ checked }) => checked).length;
    const text = count === 0 ? '' : `${count} selected`;
    if (selected.textContent !== text) selected.textContent = text;
    button.textContent = count > 0 && count === all.length ? 'Clear selection' : 'Select all on this page';
  };

  button.addEventListener('click', () => {
    const all = boxes();
    const isChecked = !all.every(({ checked }) => checked);
    for (const box of all) box.checked = isChecked;
    report();
  });
  document.addEventListener('change', report);
  // Rows of deleted jobs go away, and a browser that returns to the page restores its boxes.
  addEventListener('pageshow', report);
  const live = document.querySelector('[data-live]');
  if (live !== null) new MutationObserver(report).observe(live, { childList: true, subtree: true });
})();
