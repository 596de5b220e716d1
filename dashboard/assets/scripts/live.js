// Refreshes elements with data-live, and says how old they are. An element inside may have data-live-every (milliseconds until
// the next refresh), data-live-end (there is none), and data-title (the start of the title of the document). An element with
// data-keep stays as it is, and may contain another element with data-live. An element with data-live-later is refreshed after a
// click on the link with data-live-start in it. A field with data-filter hides the rows of that table that lack its text.
// Every page also works without this script, but users must reload it themselves.
(() => {
  'use strict';
  const EVERY_MS = 3_000;
  const MAX_PAUSE_MS = 60_000;
  const TIMEOUT_MS = 15_000;
  // The page does not exist any more, or the user lost the access to it: a reload says so.
  const GONE = [401, 403, 404];

  // Patching. An element that is still there stays, so that selection, focus, checked boxes and open details survive.
  const isElement = (node) => node.nodeType === Node.ELEMENT_NODE;
  const keyOf = (node) =>
    (isElement(node) && (node.dataset.key || node.id || node.getAttribute('aria-labelledby'))) || '';
  const isSame = (one, other) => one.nodeName === other.nodeName && keyOf(one) === keyOf(other);

  // The user opens and closes details; the server does not know.
  const isOfUser = (element, name) => name === 'open' && element.nodeName === 'DETAILS';

  const patchAttributes = (old, next) => {
    for (const { name } of [...old.attributes])
      if (!next.hasAttribute(name) && !isOfUser(old, name)) old.removeAttribute(name);
    for (const { name, value } of next.attributes)
      if (old.getAttribute(name) !== value && !isOfUser(old, name)) old.setAttribute(name, value);
  };

  const patch = (old, next) => {
    if (old.isEqualNode(next)) return;
    if (!isElement(old)) old.nodeValue = next.nodeValue;
    // frame.js prepares these when they are added.
    else if (old.nodeName === 'TIME') old.replaceWith(next);
    else if (!('copy' in old.dataset) && !('keep' in old.dataset)) {
      patchAttributes(old, next);
      patchChildren(old, next);
    }
  };

  // The first sibling from `old` on that `next` belongs to. Elements with a key are not passed by for one without.
  const counterpartOf = (next, old) => {
    for (let node = old; node !== null; node = node.nextSibling) {
      if (isSame(node, next)) return node;
      if (!isElement(next) || (keyOf(next) === '' && keyOf(node) !== '')) return null;
    }
    return null;
  };

  const removeBetween = (first, end) => {
    for (let node = first; node !== end; ) {
      const following = node.nextSibling;
      node.remove();
      node = following;
    }
  };

  const patchChildren = (old, next) => {
    const keys = new Set([...next.children].map(keyOf));
    for (const child of [...old.children]) if (!keys.has(keyOf(child)) && keyOf(child) !== '') child.remove();
    let at = old.firstChild;
    for (const child of [...next.childNodes]) {
      const counterpart = counterpartOf(child, at);
      if (counterpart === null) old.insertBefore(child, at);
      else {
        removeBetween(at, counterpart);
        at = counterpart.nextSibling;
        patch(counterpart, child);
      }
    }
    removeBetween(at, null);
  };

  const applyFilter = (field) => {
    const wanted = field.value.trim().toLowerCase();
    for (const row of document.getElementById(field.dataset.filter)?.children ?? [])
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
  };
  const applyFilters = (part) => {
    for (const field of part.querySelectorAll('[data-filter]')) {
      field.hidden = false;
      applyFilter(field);
    }
  };
  document.addEventListener('input', ({ target }) => {
    if (target.dataset.filter !== undefined) applyFilter(target);
  });
  applyFilters(document);

  const show = (part, html) => {
    const template = document.createElement('template');
    template.innerHTML = html;
    const hadFocus = part.contains(document.activeElement);
    patchChildren(part, template.content);
    applyFilters(part);
    // Its row is gone. Without this, the focus would go back to the start of the page.
    if (hadFocus && !part.contains(document.activeElement))
      (part.querySelector('[role="region"]') ?? document.getElementById('main')).focus({ preventScroll: true });
  };

  // Not those of a part inside of it.
  const inside = (part, selector) =>
    [...part.querySelectorAll(selector)].find((element) => element.parentElement.closest('[data-live]') === part);
  const titleIn = (part) => inside(part, '[data-title]')?.dataset.title ?? '';
  const showTitle = (before, now) => {
    if (now !== before && document.title.startsWith(before))
      document.title = now + document.title.slice(before.length);
  };

  // Polling.
  const parts = [];

  const sleepers = new Set();
  const sleep = (ms) =>
    new Promise((resolve) => {
      const stop = () => {
        clearTimeout(timer);
        sleepers.delete(stop);
        resolve();
      };
      const timer = setTimeout(stop, ms);
      sleepers.add(stop);
    });
  const wake = () => {
    for (const stop of sleepers) stop();
  };

  const isEntered = (field) => {
    if (field.type === 'checkbox' || field.type === 'radio') return field.checked !== field.defaultChecked;
    if (field.nodeName !== 'SELECT') return 'defaultValue' in field && field.value !== field.defaultValue;
    const first = [...field.options].findIndex(({ defaultSelected }) => defaultSelected);
    return field.selectedIndex !== Math.max(0, first);
  };
  // A reload would lose it. A form that is sent after the sign-in keeps it.
  const hasInput = () =>
    [...document.forms].some(({ method, elements }) => method === 'post' && [...elements].some(isEntered));

  const refresh = async (part) => {
    const response = await fetch(part.element.dataset.live, {
      headers: { 'X-Live': '1' },
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (GONE.includes(response.status) && !(response.status === 401 && hasInput())) {
      part.hasEnded = true;
      location.reload();
      return;
    }
    if (!response.ok) throw new Error(`HTTP ${response.status}`);
    const title = titleIn(part.element);
    show(part.element, await response.text());
    showTitle(title, titleIn(part.element));
    part.updatedAt = Date.now();
    part.hasEnded = inside(part.element, '[data-live-end]') !== undefined;
  };

  const everyOf = ({ element }) =>
    Number(inside(element, '[data-live-every]')?.dataset.liveEvery || element.dataset.every || EVERY_MS);

  const keepFresh = async (part, firstPause) => {
    let pause = firstPause;
    while (!part.hasEnded) {
      await sleep(pause);
      // Becoming visible ends this sleep.
      while (document.hidden) await sleep(MAX_PAUSE_MS);
      try {
        await refresh(part);
        part.isFailing = false;
        pause = everyOf(part);
      } catch {
        part.isFailing = true;
        pause = Math.min(pause * 2, MAX_PAUSE_MS);
      }
      report();
    }
  };

  // What the page says about its own age. Only a change of the state is announced, not each second.
  const place = document.querySelector('[data-live-status]') ?? document.createElement('p');
  const state = document.createElement('span');
  const age = document.createElement('span');
  const openStatus = () => {
    state.setAttribute('role', 'status');
    place.classList.add('live');
    place.dataset.liveStatus = '';
    place.replaceChildren(state, age);
    if (!place.isConnected) parts[0].element.before(place);
    setInterval(report, 1_000);
  };

  const agoOf = (ms) => {
    const seconds = Math.max(0, Math.round(ms / 1000));
    if (seconds < 60) return `${seconds} s ago`;
    return seconds < 3_600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3_600)} h ago`;
  };

  const report = () => {
    const open = parts.filter(({ hasEnded }) => !hasEnded);
    const isFailing = open.some((part) => part.isFailing);
    const text = open.length === 0 ? 'Up to date' : isFailing ? 'Reconnecting' : 'Live';
    if (state.textContent !== text) state.textContent = text;
    place.dataset.state = open.length === 0 ? 'ended' : isFailing ? 'failing' : 'live';
    const updatedAt = Math.min(...open.map((part) => part.updatedAt));
    age.textContent =
      open.length === 0 ? '' : `, ${isFailing ? 'last ' : ''}updated ${agoOf(Date.now() - updatedAt)}`;
  };

  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) wake();
  });
  addEventListener('online', wake);
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) wake();
  });

  const start = (element, firstPause) => {
    const part = { element, updatedAt: Date.now(), isFailing: false, hasEnded: false };
    parts.push(part);
    if (parts.length === 1) openStatus();
    report();
    void keepFresh(part, firstPause ?? everyOf(part));
  };
  for (const element of document.querySelectorAll('[data-live]')) start(element);

  document.addEventListener('click', (event) => {
    const link = event.target.closest('[data-live-start]');
    if (link === null || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const later = link.closest('[data-live-later]');
    if ('live' in later.dataset) return;
    later.dataset.live = later.dataset.liveLater;
    start(later, 0);
  });
})();
