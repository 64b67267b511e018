// The script of the page. It runs in the reviewer's browser. Without the script, groups and rows still open, and
// recordings and pictures are links.
(() => {
  const groups = [...document.querySelectorAll(".group")].map((element) => ({
    element,
    list: element.querySelector(".rows"),
    found: element.querySelector(".found"),
    rows: [...element.querySelectorAll(".row")].map((row, place) => ({ row, place, text: undefined })),
  }));
  if (groups.length === 0) return;
  const [search, kind, action, sort, fold, shown] = ["search", "kind", "action", "sort", "fold", "shown"].map((id) =>
    document.getElementById(id),
  );
  const total = groups.reduce((sum, { rows }) => sum + rows.length, 0);

  // Search and filters. While a filter is set, the groups with hits are open. Afterwards each group is as before.
  const isFiltered = () => search.value.trim() !== "" || kind.value !== "" || action.value !== "";
  let openBefore;
  function filter() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = (entry) => {
      const { row } = entry;
      if (!["", row.dataset.kind].includes(kind.value) || !["", row.dataset.action].includes(action.value))
        return false;
      if (words.length === 0) return true;
      entry.text ??= row.textContent.toLowerCase();
      return words.every((word) => entry.text.includes(word));
    };
    if (isFiltered()) openBefore ??= groups.map(({ element }) => element.open);
    let count = 0;
    groups.forEach(({ element, found, rows }, index) => {
      let hits = 0;
      for (const entry of rows) if ((entry.row.hidden = !fits(entry)) === false) hits++;
      element.hidden = hits === 0;
      found.textContent = hits === rows.length ? "" : `${hits} of ${found.dataset.of}`;
      if (isFiltered()) element.open = hits > 0;
      else if (openBefore) element.open = openBefore[index];
      count += hits;
    });
    if (!isFiltered()) openBefore = undefined;
    shown.textContent = `${count} of ${total} shown`;
  }

  function reorder() {
    const charge = ({ row }) => Number(row.dataset.charge);
    const seconds = ({ row }) => Number(row.dataset.seconds);
    const by = { name: () => 0, charge: (a, b) => charge(b) - charge(a), seconds: (a, b) => seconds(b) - seconds(a) };
    for (const { list, rows } of groups) {
      const sorted = [...rows].sort((a, b) => by[sort.value](a, b) || a.place - b.place);
      list.append(...sorted.map(({ row }) => row));
    }
  }

  // All lines of a thousand changes would be slow, so there only the groups open.
  const lines = total < 100 ? groups.flatMap(({ rows }) => rows.map(({ row }) => row)) : [];
  const foldable = [...groups.map(({ element }) => element), ...lines];
  function foldAll() {
    const open = foldable.every((each) => each.open);
    for (const each of foldable) each.open = !open;
  }
  const nameFold = () => {
    fold.textContent = foldable.every((each) => each.open) ? "Fold all" : "Open all";
  };

  // Only an embedded recording can be decoded here: a page from a file may not read other files.
  async function drawWaveform(player) {
    const base64 = player.src.slice(player.src.indexOf(",") + 1);
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    const audio = await new OfflineAudioContext(1, 1, 24000).decodeAudioData(bytes.buffer);
    const samples = audio.getChannelData(0);
    const step = Math.ceil(samples.length / 120);
    const peaks = Array.from({ length: 120 }, (_, bar) =>
      samples.subarray(bar * step, (bar + 1) * step).reduce((peak, value) => Math.max(peak, Math.abs(value)), 0),
    );
    const loudest = Math.max(...peaks) || 1;
    const heights = peaks.map((peak) => Math.max(0.5, (peak / loudest) * 15));
    const wave = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    wave.setAttribute("class", "wave");
    wave.setAttribute("viewBox", "0 0 120 32");
    wave.setAttribute("preserveAspectRatio", "none");
    wave.setAttribute("aria-hidden", "true");
    for (const name of ["rest", "played"]) {
      const bars = document.createElementNS(wave.namespaceURI, "path");
      bars.setAttribute("class", name);
      bars.setAttribute("d", heights.map((height, bar) => `M${bar + 0.5} ${16 - height}V${16 + height}`).join(""));
      bars.setAttribute("stroke", "currentColor");
      bars.setAttribute("stroke-width", "0.7");
      wave.append(bars);
    }
    player.addEventListener("timeupdate", () => {
      wave.style.setProperty("--played", `${(player.currentTime / player.duration) * 100}%`);
    });
    wave.addEventListener("click", (event) => {
      const { left, width } = wave.getBoundingClientRect();
      player.currentTime = ((event.clientX - left) / width) * audio.duration;
      void player.play();
    });
    player.before(wave);
  }

  // The players and waveforms of a row are made when the row opens: a thousand players would slow the page down.
  function showPlayers(row) {
    for (const link of row.querySelectorAll("a.recording")) {
      const player = document.createElement("audio");
      player.controls = true;
      player.src = link.getAttribute("href");
      // A player without the length looks empty. But nothing is downloaded before the reader plays it.
      player.preload = player.src.startsWith("http") ? "none" : "metadata";
      player.setAttribute("aria-label", link.dataset.label);
      link.replaceWith(player);
      // A browser that can't decode the recording shows the player alone.
      if (player.src.startsWith("data:")) drawWaveform(player).catch(() => undefined);
    }
  }

  // A native dialog is modal, keeps the focus and closes with Escape.
  const lightbox = document.getElementById("lightbox");
  let pictures = [];
  let current = 0;
  function showPicture(index) {
    current = (index + pictures.length) % pictures.length;
    const { src, alt } = pictures[current].querySelector("img");
    Object.assign(lightbox.querySelector("img"), { src, alt });
    lightbox.querySelector("p").textContent = alt;
  }
  lightbox.addEventListener("click", () => lightbox.close());
  lightbox.addEventListener("keydown", ({ key }) => {
    if (key === "ArrowRight" || key === "ArrowLeft") showPicture(current + (key === "ArrowRight" ? 1 : -1));
  });

  function step(by) {
    const lines = [...document.querySelectorAll(".group:not([hidden]) > summary, .row:not([hidden]) > summary")].filter(
      (line) => line.parentElement.matches(".group") || line.closest(".group").open,
    );
    const at = lines.indexOf(document.activeElement);
    lines[at < 0 ? 0 : Math.min(lines.length - 1, Math.max(0, at + by))]?.focus();
  }

  // Of the line with the focus, or else of the first open line: 1 is the old recording, or the only one, and 2 the new one.
  function play(index) {
    const row = document.activeElement?.closest(".row[open]") ?? document.querySelector(".row[open]:has(audio)");
    void row?.querySelectorAll("audio")[index]?.play();
  }

  document.addEventListener("click", (event) => {
    const picture = event.target.closest("a.picture");
    if (!picture) return;
    event.preventDefault();
    pictures = [...document.querySelectorAll(".row[open] a.picture")];
    showPicture(pictures.indexOf(picture));
    lightbox.showModal();
  });
  // These events do not bubble, so the listeners run in the capture phase.
  document.addEventListener(
    "toggle",
    ({ target }) => {
      if (target.matches(".row") && target.open) showPlayers(target);
      nameFold();
    },
    true,
  );
  document.addEventListener(
    "play",
    ({ target }) => {
      for (const player of document.querySelectorAll("audio")) if (player !== target) player.pause();
    },
    true,
  );
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || lightbox.open) return;
    if (event.target.matches("input, select, audio")) return;
    const keys = {
      "/": () => search.focus(),
      j: () => step(1),
      k: () => step(-1),
      e: foldAll,
      1: () => play(0),
      2: () => play(1),
    };
    if (!Object.hasOwn(keys, event.key)) return;
    event.preventDefault();
    keys[event.key]();
  });
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  for (const control of [search, kind, action]) control.addEventListener("input", filter);
  sort.addEventListener("input", reorder);
  fold.addEventListener("click", foldAll);

  // The content of folded groups would not be printed, so open them.
  let foldedBeforePrint = [];
  window.addEventListener("beforeprint", () => {
    foldedBeforePrint = groups.filter(({ element }) => !element.open);
    for (const { element } of foldedBeforePrint) element.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const { element } of foldedBeforePrint) element.open = false;
  });
  for (const row of document.querySelectorAll(".row[open]")) showPlayers(row);
  filter();
  nameFold();
})();
