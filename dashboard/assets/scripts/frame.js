// Local times, the filter of the project menu, copy buttons and the focus of form errors.
// Every page also works without this script, with all times in UTC.
(() => {
  'use strict';
  const root = document.documentElement;

  // The clock of this device may be wrong: ages are counted from the time of the server.
  const skew = Date.now() - Date.parse(root.dataset.now);
  const isLocal = root.dataset.times === 'local';
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const local = new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
  });
  // As on the server: 2026-01-02 03:04:05, then the zone.
  const localTime = (at) => {
    const part = Object.fromEntries(local.formatToParts(at).map(({ type, value }) => [type, value]));
    const { year, month, day, hour, minute, second, timeZoneName } = part;
    return `${year}-${month}-${day} ${hour}:${minute}:${second} ${timeZoneName}`;
  };
  const UNITS = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ];
  // The same as FORMAT.relative of the server.
  const relative = (at) => {
    const ms = Date.now() - skew - at;
    const seconds = Math.round(Math.abs(ms) / 1000);
    const [unit, size] = UNITS.find(([, one]) => seconds >= one) ?? ['', 0];
    if (size === 0) return 'now';
    const text = `${Math.floor(seconds / size).toLocaleString('en')} ${unit}`;
    return ms > 0 ? `${text} ago` : `in ${text}`;
  };

  const showLocal = (time) => {
    const at = new Date(time.dateTime);
    if (Number.isNaN(at.getTime())) return;
    if (time.title === '') time.textContent = localTime(at);
    else time.title = localTime(at);
  };

  // For the page, and again for each part that live.js replaces.
  const prepare = (part) => {
    for (const button of part.querySelectorAll('button[data-copy]')) button.hidden = false;
    if (isLocal) for (const time of part.querySelectorAll('time[datetime]')) showLocal(time);
  };
  prepare(document);
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes) if (node instanceof Element) prepare(node.parentElement ?? node);
  }).observe(document.getElementById('main'), { childList: true, subtree: true });

  // Pages stay open, and relative times change.
  setInterval(() => {
    if (document.hidden) return;
    for (const time of document.querySelectorAll('time[data-ago]')) {
      const text = relative(Date.parse(time.dateTime));
      if (time.textContent !== text) time.textContent = text;
    }
  }, 15_000);

  for (const form of document.querySelectorAll('[data-script]')) form.hidden = false;
  if (isLocal) document.getElementById('time-zone').textContent = `Times are in ${zone}. Filters and charts are in UTC.`;

  const switcher = document.getElementById('switcher');
  if (switcher !== null) {
    const items = [...switcher.querySelectorAll('li')];
    const links = () => items.filter(({ hidden }) => !hidden).map((item) => item.querySelector('a'));
    const input = switcher.querySelector('input');
    const status = switcher.querySelector('[data-none]');
    input.addEventListener('input', () => {
      const wanted = input.value.trim().toLowerCase();
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
      status.textContent = links().length === 0 ? status.dataset.none : '';
    });
    // Enter opens the only project that matches; otherwise the list of projects has the filter. The menu may lack projects.
    input.form.addEventListener('submit', (event) => {
      const [first, ...others] = links();
      if (first === undefined || others.length > 0 || switcher.dataset.more !== undefined) return;
      event.preventDefault();
      location.assign(first.href);
    });
    switcher.addEventListener('keydown', (event) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const stops = [input, ...links()];
      const index = stops.indexOf(document.activeElement) + step;
      stops[Math.min(stops.length - 1, Math.max(0, index))].focus();
    });
  }

  // On a phone the tabs scroll sideways.
  document.querySelector('.tabs [aria-current="page"]')?.scrollIntoView({ block: 'nearest', inline: 'center' });

  // Over plain HTTP there is no clipboard, and the browser may refuse it. Then the text stays selected for the user.
  const copy = async (element) => {
    try {
      await navigator.clipboard.writeText(element.textContent);
      return true;
    } catch {
      const selection = getSelection();
      selection.selectAllChildren(element);
      const isCopied = document.execCommand('copy');
      if (isCopied) selection.removeAllRanges();
      return isCopied;
    }
  };
  const COPIED_MS = 2_000;
  const NOT_COPIED_MS = 10_000;
  const said = document.getElementById('said');
  document.addEventListener('click', async (event) => {
    const button = event.target.closest('button[data-copy]');
    if (button === null || 'said' in button.dataset) return;
    const isCopied = await copy(document.getElementById(button.dataset.copy));
    const text = isCopied ? 'Copied' : 'Not copied. The text is selected: press Ctrl+C or ⌘C';
    said.textContent = text;
    const label = [...button.childNodes];
    button.dataset.said = '';
    button.replaceChildren(text);
    setTimeout(
      () => {
        button.replaceChildren(...label);
        delete button.dataset.said;
        said.textContent = '';
      },
      isCopied ? COPIED_MS : NOT_COPIED_MS,
    );
  });

  document.getElementById('form-errors')?.focus();
})();
