// The list of jobs: filters that apply at once, and the bar for the selected jobs. Without this script, users press Apply, and
// the bar is always there.
(() => {
  'use strict';
  const finder = document.querySelector('.finder');
  if (finder !== null) {
    // The keyboard moves through the options one by one, and applies with Enter.
    let isPointer = false;
    finder.addEventListener('pointerdown', () => (isPointer = true));
    finder.addEventListener('keydown', () => (isPointer = false));
    finder.addEventListener('change', ({ target }) => {
      const isOption = target.type === 'radio';
      // A period and a range exclude each other.
      for (const other of target.closest('.filter')?.querySelectorAll('input') ?? [])
        if (isOption && other.type !== 'radio') other.value = '';
        else if (!isOption && other.type === 'radio') other.checked = other.value === '';
      if (isOption && isPointer) finder.requestSubmit();
    });
    const setEmpty = (isDisabled) => {
      for (const field of finder.elements) if (field.name && field.value === '') field.disabled = isDisabled;
    };
    // A short URL, also for the user who shares it.
    finder.addEventListener('submit', () => setEmpty(true));
    addEventListener('pageshow', () => setEmpty(false));
  }

  const button = document.getElementById('select-all');
  if (button === null) return;
  const selected = document.getElementById('selected');
  const boxes = () => [...document.querySelectorAll('.jobs input[name="job"]')];
  const scope = document.querySelector('#bulk [name="scope"]');
  const actions = [...document.querySelectorAll('[data-bulk]')].map((action) => ({
    action,
    label: action.textContent,
  }));

  const show = (element, text) => {
    if (element.textContent !== text) element.textContent = text;
  };
  const jobs = (count) => (count === 1 ? '1 job' : `${count} jobs`);
  const LABELS = {
    cancel: (count) => `Cancel ${jobs(count)}…`,
    'run-again': (count, same) =>
      `Run ${jobs(count)} again…${same === 0 ? '' : ` (${same} left out)`}`,
  };

  const report = () => {
    const all = boxes();
    const checked = all.filter((box) => box.checked);
    const states = new Map();
    for (const { dataset } of checked) states.set(dataset.state, (states.get(dataset.state) ?? 0) + 1);
    const parts = [...states].map(([state, count]) => `${count} ${state}`).join(', ');
    show(selected, checked.length === 0 ? '' : `${checked.length} selected: ${parts}`);
    show(button, checked.length > 0 && checked.length === all.length ? 'Clear selection' : 'Select all on this page');
    const countOf = (kind) => checked.filter(({ dataset }) => dataset.can === kind).length;
    for (const { action, label } of actions) {
      const { bulk } = action.dataset;
      const count = countOf(bulk);
      const isWhole = scope?.checked === true;
      show(action, isWhole ? label : LABELS[bulk](count, bulk === 'run-again' ? countOf('same') : 0));
      // What cannot succeed is not offered.
      action.hidden = !isWhole && count === 0;
    }
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
