// Helpers. Text is inserted only as text, so that no name becomes mark-up.

const SVG = "http://www.w3.org/2000/svg";
const words = JSON.parse(document.getElementById("words").textContent);

const make = (tag, className, text = "") => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

const button = (text, label, action) => {
  const made = make("button", "", text);
  made.type = "button";
  if (label !== text) {
    made.setAttribute("aria-label", label);
    made.title = label;
  }
  made.addEventListener("click", action);
  return made;
};

// Screen readers read what is written here.
const status = make("p", "unseen");
status.setAttribute("role", "status");
document.querySelector("main").append(status);
const say = (text) => { status.textContent = text; };

const hint = make("p", "unseen", words.hint);
hint.id = "hint";
status.before(hint);

// A page that was opened from a plain HTTP address has no clipboard, but it can fill a copy event.
const copyByEvent = (text) => {
  let copied = false;
  const fill = (event) => {
    event.clipboardData.setData("text/plain", text);
    event.preventDefault();
    copied = true;
  };
  document.addEventListener("copy", fill);
  document.execCommand("copy");
  document.removeEventListener("copy", fill);
  return copied;
};

const copy = async (text, pressed) => {
  const copied = await (navigator.clipboard?.writeText(text) ?? Promise.reject())
    .then(() => true, () => copyByEvent(text));
  const said = copied ? words.copied : words.notCopied;
  say(said);
  const before = pressed.textContent;
  pressed.textContent = said;
  setTimeout(() => { pressed.textContent = before; }, 1500);
};

const save = (name, blob) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name.replace(/[^\p{L}\p{N}.]+/gu, "-");
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
};
