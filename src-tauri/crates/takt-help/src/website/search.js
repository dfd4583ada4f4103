// Shows only the pages that contain all typed words.
const field = document.querySelector('input[type=search]');
const entries = [...document.querySelectorAll('#pages li')];
const plain = (text) => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();
const texts = new Map(window.helpPages.map((page) => [`${page.id}.html`, plain(`${page.title} ${page.text}`)]));
field.addEventListener('input', () => {
  const words = plain(field.value).split(/\s+/u).filter(Boolean);
  for (const entry of entries) {
    const text = texts.get(entry.firstElementChild.getAttribute('href')) ?? '';
    entry.hidden = !words.every((word) => text.includes(word));
  }
});
