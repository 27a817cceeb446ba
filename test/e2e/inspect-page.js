// Runs in a page, where it is read as text: plain JavaScript, because the types of pages are none of this project's. Its value is what is wrong
// with the page as it is shown now, one sentence each.
(() => {
  const { documentElement: root } = document;
  const canvas = colorOf("Canvas");
  const fields = [...document.querySelectorAll("input:not([type=hidden]), select, textarea")];
  return [
    ...(root.lang === "" ? ["There is no language."] : []),
    ...(document.title === "" ? ["There is no title."] : []),
    ...(document.querySelectorAll("h1").length === 1 ? [] : ["There is not one h1."]),
    ...(document.querySelector("script, link, img, iframe") ? ["Something else is loaded."] : []),
    ...(root.scrollWidth > root.clientWidth ? [`It is ${root.scrollWidth} wide in ${root.clientWidth}.`] : []),
    ...fields.filter(({ labels }) => !labels?.[0]?.textContent.trim()).map(({ name }) => `The field ${name} has no label.`),
    ...[...document.body.querySelectorAll("*")].filter(hasText).flatMap(faint),
  ];

  function hasText(element) {
    const isField = ["INPUT", "SELECT"].includes(element.tagName) && element.type !== "hidden";
    return (
      isField || (element.tagName !== "STYLE" && [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== ""))
    );
  }

  /** WCAG 2.2, success criterion 1.4.3. */
  function faint(element) {
    const behind = backgroundOf(element);
    const text = over(parse(getComputedStyle(element).color), behind);
    const [light, dark] = [luminance(text), luminance(behind)].sort((a, b) => b - a);
    const ratio = (light + 0.05) / (dark + 0.05);
    return ratio >= 4.5 ? [] : [`"${element.textContent.trim().slice(0, 40)}" has a contrast of ${ratio.toFixed(2)}.`];
  }

  function backgroundOf(element) {
    const below = element.parentElement ? backgroundOf(element.parentElement) : canvas;
    return over(parse(getComputedStyle(element).backgroundColor), below);
  }

  function over([red, green, blue, alpha = 1], below) {
    return [red, green, blue].map((part, index) => part * alpha + below[index] * (1 - alpha));
  }

  function luminance(color) {
    const [red, green, blue] = color.map((part) => {
      const share = part / 255;
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  }

  /** A named color, as this page shows it. */
  function colorOf(name) {
    const probe = document.body.appendChild(document.createElement("i"));
    probe.style.color = name;
    const { color } = getComputedStyle(probe);
    probe.remove();
    return parse(color);
  }

  function parse(color) {
    if (!/^rgba?\(/.test(color)) throw new Error(`No color that is known here: ${color}`);
    return color.match(/[\d.]+/g).map(Number);
  }
})();
