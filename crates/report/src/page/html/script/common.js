// Helpers. Text is inserted only as text, so that no name becomes mark-up.

const SVG = "http://www.w3.org/2000/svg";
const words = JSON.parse(document.getElementById("words").textContent);

const allIn = (parent, selector) => [...parent.querySelectorAll(selector)];

// Strings among the content become text.
const make = (tag, className = "", ...content) => {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
};

const button = (text, label, action) => {
  const made = make("button", "", text);
  made.type = "button";
  if (label !== text) made.ariaLabel = made.title = label;
  made.onclick = action;
  return made;
};

// Screen readers read what is written here.
const status = make("p", "unseen");
status.role = "status";
const say = (text) => { status.textContent = text; };

const hint = make("p", "unseen", words.hint);
hint.id = "hint";
document.querySelector("main").append(hint, status);

// A page that was opened from a plain HTTP address has no clipboard, but it can fill a copy event.
const copyByEvent = (text) => {
  let copied = false;
  document.oncopy = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    copied = true;
  };
  document.execCommand("copy");
  document.oncopy = null;
  return copied;
};

const copy = async (text, pressed) => {
  const copied = await (navigator.clipboard?.writeText(text) ?? Promise.reject())
    .then(() => true, () => copyByEvent(text));
  const before = pressed.textContent;
  pressed.textContent = copied ? words.copied : words.notCopied;
  say(pressed.textContent);
  setTimeout(() => { pressed.textContent = before; }, 1500);
};

const save = (name, blob) => {
  const link = make("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\p{L}\p{N}.]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};
